import { z } from 'zod'
import { PRESETS } from '../../portable/hook-presets.ts'
import { makeIdSchema as recordId } from '../base/body-schemas.ts'

const makeTextSetting = (max: number) => z.string().max(max).default('')

export const MAX_TEMPLATE = 2_000
export const MAX_RECIPIENTS = 100
/** Default maximum of short messages per text. */
export const DEFAULT_PARTS = 3

/** The fields of a hook that decide what it sends. A preview may pass those of an unsaved hook. */
export const HOOK_SETTINGS = z.object({
  preset: z.enum(Object.keys(PRESETS) as (keyof typeof PRESETS)[]),
  kind: z.enum(['', 'alerts', 'codes']).default('alerts'),
  template: makeTextSetting(MAX_TEMPLATE),
  recipients: z.array(z.string().max(100)).max(MAX_RECIPIENTS).default([]),
  groups: z.array(recordId(100)).max(100).default([]),
  recipients_from: makeTextSetting(200),
  pictures_from: makeTextSetting(200),
  line: recordId(100).default(''),
  once_key: makeTextSetting(500),
  resolved: makeTextSetting(10),
  resolved_when: makeTextSetting(200),
  send_when: makeTextSetting(200),
  max_parts: z.int().min(0).max(10).default(DEFAULT_PARTS),
})
export type HookSettings = z.output<typeof HOOK_SETTINGS>

export interface Hook extends HookSettings {
  readonly id: string
  readonly user: string
  readonly name: string
  readonly enabled: boolean
  readonly once_minutes: number
  readonly rate: number
  /** The secret with which callers sign bodies; '' if signatures are not checked. */
  readonly signing_secret: string
  /** The label that the conversations of its recipients get; '' for none. */
  readonly label: string
}

/** Whether a hook sends login codes. One with an auth server's preset always does. */
export const sendsLoginCodes = ({ kind, preset }: Pick<HookSettings, 'kind' | 'preset'>): boolean =>
  kind === 'codes' || PRESETS[preset]?.codes !== undefined
