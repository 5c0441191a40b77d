import { signal } from '@preact/signals'

/** The last URL query of the page that lists messages. A message's page links back with it. */
export const lastList = signal<Readonly<Record<string, string>>>({})
