import type { Feature } from '../../gateway/base/feature.ts'
import { makePlace, selectByTexts } from '../../gateway/base/personal-data.ts'
import { twilioKeysExtension } from './api-keys.ts'

export const TWILIO_STATE: Feature = {
  personalData: {
    places: [
      makePlace({
        table: 'twilio_answers',
        title: 'Texts answered by TwiML',
        phase: 'texts',
        rows: selectByTexts(),
        key: 'message',
        erasure: 'delete',
      }),
    ],
    noPlaces: { twilio_numbers: 'settings of devices' },
  },
  extensions: () => ({ api_keys: twilioKeysExtension }),
}
