import { z } from 'zod'
import { makeWholeNumber } from '../../base/body-schemas.ts'

/**
 * Options of a send that messages and campaigns store in columns of the same names, so that a text which is
 * sent again or by a campaign has them as well. `null` counts as absent.
 */
export const STORED_OPTIONS = {
  priority: makeWholeNumber(-128, 127).nullish().describe('Higher is sent first. Default: 0.'),
  sim: makeWholeNumber(0, 8).nullish().describe('Slot of the SIM that sends, from 1. 0: any line.'),
  guarantee: z
    .enum(['at_most_once', 'at_least_once'])
    .nullish()
    .describe(
      'If the device goes silent after it claimed the message: `at_most_once` (default) fails the message, `at_least_once` hands it to a device again.',
    ),
}

/** `sim`: 0 for any SIM. */
export type StoredOptions = {
  readonly [Name in keyof typeof STORED_OPTIONS]-?: NonNullable<
    z.output<(typeof STORED_OPTIONS)[Name]>
  >
}

/** The options of a body, a message or a campaign. An absent or empty one has its default. */
export const readStoredOptions = ({
  priority,
  sim,
  guarantee,
}: {
  readonly [Name in keyof StoredOptions]?: StoredOptions[Name] | '' | null | undefined
}): StoredOptions => ({
  priority: priority || 0,
  sim: sim || 0,
  guarantee: guarantee || 'at_most_once',
})

export const listStoredOptions = <Table extends string>(table: Table) =>
  [`${table}.priority`, `${table}.sim`, `${table}.guarantee`] as const
