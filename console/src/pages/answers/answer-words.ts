import type { Hours } from '../../data/hours.ts'
import type { AutoAnswer } from '../../data/records.ts'
import { t } from '../../language/words.ts'

type Match = AutoAnswer['match']

/** Labels of each kind of match: for the choice, and for a sentence with the words. */
export const MATCHES: Readonly<Record<Match, readonly [choice: string, about: (value: string) => string]>> = {
  any: [t('Any text'), () => t('Any text')],
  words: [t('The text is one of these words'), (value) => t('The text is {words}', { words: value })],
  first_word: [
    t('Begins with one of these words'),
    (value) => t('The text begins with {words}', { words: value }),
  ],
  contains: [t('Contains one of these words'), (value) => t('The text contains {words}', { words: value })],
}

/** Which texts an answer is for, in words. */
export const forWhich = ({ match, value }: AutoAnswer): string => MATCHES[match][1](value)

/** Its name, else which texts it is for. */
export const answerName = (answer: AutoAnswer): string => answer.name || forWhich(answer)

export const hoursOf = ({ hours_from, hours_to, days }: AutoAnswer): Hours => ({
  from: hours_from,
  to: hours_to,
  days,
})
