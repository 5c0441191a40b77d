import providers from './oauth2-providers.json' with { type: 'json' }

/** Providers by name. Logos: PocketBase 0.40.4, MIT License, Copyright (c) 2022 - present, Gani Georgiev */
export const OAUTH2_PROVIDERS: ReadonlyMap<
  string,
  { readonly displayName: string; readonly logo: string }
> = new Map(Object.entries(providers))
