import { signal } from '@preact/signals'

/** How many conversations of the account are unread; 0 until read. */
export const unread = signal(0)

/** How many unread conversations notify the person. The window's title shows this number. */
export const announced = signal(0)

/** How many notes mention the person since they last looked. Counted in both places beside the texts. */
export const mentioned = signal(0)
