import { firstOf, maybe } from './pieces.ts'

/** Where a body of codes has the recipient and the code, as templates. */
export interface CodeFields {
  readonly to: string
  /** '' when the code stands only in the text. */
  readonly code: string
  /** Who signs the body, if the hook has a `signing_secret`. */
  readonly signed?: 'standard-webhooks' | 'zitadel'
  /** Its sender reads why a code was not sent only in an answer with the status 200. */
  readonly readsErrorsIn200?: true
}

const codes = (template: string, fields: CodeFields, once_key = '') => ({
  template,
  once_key,
  resolved_when: '',
  codes: fields,
})

/** For senders that let people configure the body: `to` and `text`. */
const TEXT = codes('{{text}}', { to: '{{to}}', code: '' })

/** Auth servers that post each code, with the bodies of their source. */
export const AUTH_SERVERS = {
  // https://supabase.com/docs/guides/auth/auth-hooks/send-sms-hook; supabase/auth, internal/hooks/v0hooks.
  // `sms.phone`: the new number when a user changes it. Attempts of one call have the same `metadata.uuid`.
  supabase: codes(
    'Your code is {{sms.otp}}',
    {
      to: firstOf({ 'sms.phone': '{{sms.phone}}' }, '{{user.phone}}'),
      code: '{{sms.otp}}',
      signed: 'standard-webhooks',
      readsErrorsIn200: true,
    },
    maybe('metadata.uuid'),
  ),
  // https://zitadel.com/docs/guides/manage/customize/notification-providers; zitadel/zitadel,
  // internal/notification/types: names of `args` begin in lower case, hence `oTP`
  zitadel: codes('{{templateData.text}}', {
    to: '{{contextInfo.recipientPhoneNumber}}',
    code: firstOf({ 'args.oTP': '{{args.oTP}}' }, '{{args.code}}'),
    signed: 'zitadel',
  }),
  // https://www.ory.com/docs/kratos/self-hosted/sms-messages; ory/kratos, courier/http_channel.go
  kratos: codes('{{body}}', { to: '{{recipient}}', code: '' }),
  // https://docs.logto.io/integrations/http-sms
  logto: codes('Your code is {{payload.code}}', { to: '{{to}}', code: '{{payload.code}}' }),
  // goauthentik/authentik, authentik/stages/authenticator_sms/models.py
  authentik: codes(firstOf({ Message: '{{Message}}' }, 'Your code is {{Body}}'), {
    to: '{{To}}',
    code: '{{Body}}',
  }),
  // netzbegruenung/keycloak-mfa-plugins, sms-authenticator: its default names
  keycloak: TEXT,
  // nhost/nhost, services/auth/go/notifications/sms/generic.go: a template of the user's
  nhost: TEXT,
} as const
