"""What build_recorded_blocks.py is made of: consensus rules, wallets, the story that is told, and the wire format."""
