import { PRESETS } from './hook-presets.ts'
import { INBOX_STATES, VIEW_SORTS } from './inbox-views.ts'
import { LABEL_COLORS } from './label-colors.ts'
import { LANGUAGES } from './languages.ts'
import { WEBHOOK_PRESETS } from './webhook-presets.ts'

const listKeys = <K extends string>(table: Readonly<Record<K, unknown>>) =>
  Object.keys(table) as K[]

/** Values of select fields that code lists, by collection and field. `collections.json` has all others. */
export const SELECT_VALUES = {
  'users.language': LANGUAGES,
  'inbox_views.state': listKeys(INBOX_STATES),
  'inbox_views.sort': listKeys(VIEW_SORTS),
  'labels.color': LABEL_COLORS,
  'hooks.preset': listKeys(PRESETS),
  /** `template`: the form of the webhook's preset and fields. Others are forms of other products. */
  'webhooks.format': ['twilio', 'template', 'vendel'],
  'webhooks.preset': listKeys(WEBHOOK_PRESETS),
} as const

export type SelectFieldName = keyof typeof SELECT_VALUES
export type SelectValue<F extends SelectFieldName> = (typeof SELECT_VALUES)[F][number]

/** Whether code lists the values of this field. */
export const isSelectField = (field: string): field is SelectFieldName =>
  Object.hasOwn(SELECT_VALUES, field)
