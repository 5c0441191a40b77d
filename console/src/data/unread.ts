import { signal } from '@preact/signals'

/** How many conversations of the account are unread; 0 until it is known. */
export const unread = signal(0)

/** Unread conversations that notify the person, for the window's title and the app's badge. */
export const announced = signal(0)
