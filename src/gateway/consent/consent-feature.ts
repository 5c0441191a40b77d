import type { Feature } from '../base/feature.ts'
import { consentStatesExtension, consentsExtension } from './consents-extension.ts'
import { consentPagePaths } from './routes.openapi.ts'
import { consentPageRoutes } from './routes.ts'

/** Who agreed to texts, and the public pages by which people join groups and end texts. */
export const CONSENT: Feature = {
  routes: [['/', consentPageRoutes]],
  paths: consentPagePaths,
  extensions: () => ({ consents: consentsExtension, consent_states: consentStatesExtension }),
}
