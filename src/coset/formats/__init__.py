"""What programs read: JSON and its schemas."""
