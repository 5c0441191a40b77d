import { PRESET, type Preset, type PresetData } from './preset.ts'
import { CLICKATELL } from './presets/clickatell.ts'
import { GATEWAYAPI } from './presets/gatewayapi.ts'
import { INFOBIP } from './presets/infobip.ts'
import { MESSAGEBIRD } from './presets/messagebird.ts'
import { PLIVO } from './presets/plivo.ts'
import { POCKETSMS } from './presets/pocketsms.ts'
import { SEVEN } from './presets/seven.ts'
import { SINCH } from './presets/sinch.ts'
import { TELNYX } from './presets/telnyx.ts'
import { TWILIO_PRESET } from './presets/twilio.ts'
import { VONAGE } from './presets/vonage.ts'

/** Carriers by their name in the setting `preset`. The preset `custom` is part of the settings. */
const DATA: Readonly<Record<string, PresetData>> = {
  pocketsms: POCKETSMS,
  twilio: TWILIO_PRESET,
  telnyx: TELNYX,
  vonage: VONAGE,
  plivo: PLIVO,
  sinch: SINCH,
  messagebird: MESSAGEBIRD,
  infobip: INFOBIP,
  seven: SEVEN,
  gatewayapi: GATEWAYAPI,
  clickatell: CLICKATELL,
}

export const PRESET_NAMES: readonly string[] = [...Object.keys(DATA), 'custom']

/** A preset by its name; undefined for `custom` and unknown names. */
export const findPreset = (name: string): Preset | undefined =>
  Object.hasOwn(DATA, name) ? PRESET.parse(DATA[name]) : undefined
