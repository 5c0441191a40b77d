import { signal } from '@preact/signals'

/** The query of the last list of messages, for the link back from a message. */
export const lastList = signal<Readonly<Record<string, string>>>({})
