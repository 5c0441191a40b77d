-- API keys by their previous secret, which may still be valid after a new one was made.
create unique index api_keys_previous on api_keys (previous_hash) where previous_hash <> '';
