import { signal } from '@preact/signals'

/** The URL query of the list of messages shown last, for a message's link back to it. */
export const lastList = signal<Readonly<Record<string, string>>>({})
