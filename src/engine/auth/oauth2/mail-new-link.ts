import type { Language } from '../../../portable/languages.ts'
import { isEmail } from '../../fields/email.ts'
import type { AuthRecord } from '../../request/request.ts'
import type { AuthServices } from '../auth-services.ts'
import { mailNotice } from '../mail-notice.ts'
import type { OAuth2Identity } from './identify-by-oauth2.ts'

/** Mails in the background that a provider's account opens the record from now on. */
export function mailNewLink(
  services: AuthServices,
  auth: AuthRecord,
  { provider, profile }: OAuth2Identity,
  browser: Language | undefined,
): void {
  // names at a provider are not shown: whoever made the link has chosen them
  const name = isEmail(profile.email) ? profile.email : ''
  const values = { provider: provider.displayName, name }
  const lines = [name ? 'linkedNamed' : 'linked', 'linkedEnd', 'linkedIgnore'] as const
  mailNotice(services, auth, { subject: 'linkedSubject', lines, values }, browser)
}
