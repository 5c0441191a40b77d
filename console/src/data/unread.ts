import { computed, signal } from '@preact/signals'

/** How many conversations each view of the inbox has, up to 1,000; undefined until read. */
export const inboxCounts = signal<Readonly<Record<string, number>> | undefined>(undefined)

/** How many conversations of the account are unread; 0 until read. */
export const unread = computed(() => inboxCounts.value?.unread ?? 0)

/** How many unread conversations notify the person. The window's title shows this number. */
export const announced = signal(0)

/** How many notes mention the person since they last looked. Counted in both places beside the texts. */
export const mentioned = signal(0)
