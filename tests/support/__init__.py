"""What tests share: generators of random models, naive twins, references, cases, and the command line under test."""
