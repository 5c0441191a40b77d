import { signal } from '@preact/signals'

/** The query of the list of messages that was last seen, so that the way back from a message leads there. */
export const lastList = signal<Readonly<Record<string, string>>>({})
