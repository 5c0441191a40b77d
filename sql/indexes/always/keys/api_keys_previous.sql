-- API keys by the secret that is being replaced.
create unique index api_keys_previous on api_keys (previous_hash) where previous_hash <> '';
