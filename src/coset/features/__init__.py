"""The workflow of featured networks: generate, analyse feature interaction, and prove for networks of any size."""
