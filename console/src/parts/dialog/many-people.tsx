import type { ComponentChildren } from 'preact'
import { t, tn } from '../../language/words.ts'
import { confirmed } from './dialog.tsx'
import './many-people.css'

interface ManyPeople {
  readonly people: number
  /** What they get and what it takes, up to the colon before the first text. */
  readonly what: ComponentChildren
  readonly firstText: string
  /** When it begins. */
  readonly begins: ComponentChildren
  readonly isLater: boolean
}

/** Asks before something is sent to many, and shows the first text as it will arrive. */
export function confirmedForMany({ people, what, firstText, begins, isLater }: ManyPeople): Promise<boolean> {
  const words = peopleWords(people)
  return confirmed({
    title: isLater
      ? t('Schedule for {people}?', { people: words })
      : t('Send to {people}?', { people: words }),
    text: (
      <>
        <p>{what}</p>
        <p class="many-first">{firstText}</p>
        <p class="muted">{begins}</p>
      </>
    ),
    action: isLater
      ? t('Schedule for {people}', { people: words })
      : t('Send to {people}', { people: words }),
    keep: t('Not yet'),
    careful: true,
  })
}

/** `25 people` */
export const peopleWords = (count: number): string => tn('1 person', '{count} people', count)
