import { signal } from '@preact/signals'

/** How many conversations of the user are unread; 0 while that is not known. */
export const unread = signal(0)
