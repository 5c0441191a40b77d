import { signal } from '@preact/signals'

/** How many conversations of the account are unread; 0 while that is not known. */
export const unread = signal(0)

/** How many of them the person wants to know of: for the title of the window and the badge of the app. */
export const announced = signal(0)
