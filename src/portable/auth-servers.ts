import { printFirstText, printIfPresent } from './template-pieces.ts'

/** Templates for the recipient and the code in a body that an auth server posts. */
export interface CodeFields {
  readonly to: string
  /** '' if the body has the code only within the text. */
  readonly code: string
  /** How the body is signed if the hook has a `signing_secret`. */
  readonly signed?: 'standard-webhooks' | 'zitadel'
  /** The auth server reads the reason for a refusal only from an answer with status 200. */
  readonly readsErrorsIn200?: true
}

const makeCodesPreset = (template: string, fields: CodeFields, once_key = '') => ({
  template,
  once_key,
  resolved_when: '',
  codes: fields,
})

/** For auth servers whose body can be configured: it must have `to` and `text`. */
const TEXT = makeCodesPreset('{{text}}', { to: '{{to}}', code: '' })

/** Presets for auth servers that post each code to a hook. Above each preset: the source of its fields. */
export const AUTH_SERVERS = {
  // https://supabase.com/docs/guides/auth/auth-hooks/send-sms-hook; supabase/auth, internal/hooks/v0hooks.
  // `sms.phone`: the new number when a user changes it. Attempts of one call have the same `metadata.uuid`.
  supabase: makeCodesPreset(
    'Your code is {{sms.otp}}',
    {
      to: printFirstText({ 'sms.phone': '{{sms.phone}}' }, '{{user.phone}}'),
      code: '{{sms.otp}}',
      signed: 'standard-webhooks',
      readsErrorsIn200: true,
    },
    printIfPresent('metadata.uuid'),
  ),
  // https://zitadel.com/docs/guides/manage/customize/notification-providers; zitadel/zitadel,
  // internal/notification/types: names of `args` begin in lower case, hence `oTP`
  zitadel: makeCodesPreset('{{templateData.text}}', {
    to: '{{contextInfo.recipientPhoneNumber}}',
    code: printFirstText({ 'args.oTP': '{{args.oTP}}' }, '{{args.code}}'),
    signed: 'zitadel',
  }),
  // https://www.ory.com/docs/kratos/self-hosted/sms-messages; ory/kratos, courier/http_channel.go
  kratos: makeCodesPreset('{{body}}', { to: '{{recipient}}', code: '' }),
  // https://docs.logto.io/integrations/http-sms
  logto: makeCodesPreset('Your code is {{payload.code}}', {
    to: '{{to}}',
    code: '{{payload.code}}',
  }),
  // goauthentik/authentik, authentik/stages/authenticator_sms/models.py
  authentik: makeCodesPreset(printFirstText({ Message: '{{Message}}' }, 'Your code is {{Body}}'), {
    to: '{{To}}',
    code: '{{Body}}',
  }),
  // netzbegruenung/keycloak-mfa-plugins, sms-authenticator: `to` and `text` are its default names
  keycloak: TEXT,
  // nhost/nhost, services/auth/go/notifications/sms/generic.go: the user writes the body's template
  nhost: TEXT,
} as const
