import { makeStrictExtension } from '../../engine/records/collection-extension.ts'
import type { Feature } from '../base/feature.ts'
import { consentStatesExtension, consentsExtension } from './consents-extension.ts'
import { CONSENT_DATA } from './personal-data.ts'
import { CONSENT_PAGES, sendErrorPage } from './routes.ts'

/** Who agreed to texts, and the public pages by which people join groups and end texts. */
export const CONSENT: Feature = {
  rows: CONSENT_PAGES,
  api: { roots: ['/join', '/leave'], group: 'pages', errorForm: sendErrorPage },
  personalData: CONSENT_DATA,
  extensions: () => ({
    consents: makeStrictExtension(consentsExtension),
    consent_states: makeStrictExtension(consentStatesExtension),
  }),
}
