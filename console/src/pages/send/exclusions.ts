import { t } from '../../language/words.ts'
import type { Composition } from './composition.ts'

/** What a person has chosen in the form. `isLong`: whether a plain send cannot have so many recipients. */
export interface Chosen {
  readonly composition: Composition
  readonly files: number
  readonly isLong: boolean
}

const CHOICES = {
  pictures: ({ files }) => files > 0,
  campaign: ({ composition }) => composition.isCampaign,
  repeat: ({ composition }) => composition.repeat.cron !== '',
  consent: ({ composition }) => composition.needsConsent,
  many: ({ isLong }) => isLong,
} as const satisfies Readonly<Record<string, (chosen: Chosen) => boolean>>

type Choice = keyof typeof CHOICES

/** Choices that exclude each other: both stay as they were chosen, and nothing is sent until one changes. */
export const EXCLUSIONS: readonly (readonly [one: Choice, other: Choice, why: string])[] = [
  [
    'pictures',
    'campaign',
    t('A campaign cannot have pictures yet. Remove the pictures, or send them without a campaign.'),
  ],
  [
    'pictures',
    'repeat',
    t('A text that repeats cannot have pictures yet. Remove the pictures, or choose “Once”.'),
  ],
  [
    'pictures',
    'consent',
    t(
      'A text only to people with proof of consent cannot have pictures yet. Remove the pictures, or untick the box.',
    ),
  ],
  [
    'pictures',
    'many',
    t('Pictures go to at most 1,000 people at once. Remove the pictures, or some of the people.'),
  ],
]

/** Why the form's choices cannot be sent together; undefined if they can. */
export const findExclusion = (chosen: Chosen): string | undefined =>
  EXCLUSIONS.find((pair) => pair.slice(0, 2).every((one) => CHOICES[one as Choice](chosen)))?.[2]
