import { GITHUB_ONCE, GITHUB_RESOLVED, GITHUB_TEXT } from './github-preset.ts'
import { printFirstText, printIfPresent } from './template-pieces.ts'

interface CodeFields {
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
const AUTH_SERVERS = {
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

/**
 * Defaults for a hook's empty fields. `once_key`: bodies with the same key are one event; '' for no key.
 * `resolved_when`: the condition, `path=value`, for a body that says that all is well again.
 */
const makePreset = (template: string, once_key = '', resolved_when = '') => ({
  template,
  once_key,
  resolved_when,
  codes: undefined as CodeFields | undefined,
})

/** `alertname instance: `, as far as the alert has these labels. */
const ALERT_NAME = `${printIfPresent('labels.alertname', '', printIfPresent('labels.instance', ' '))}: `
/** One line for each alert of a group. All Alertmanager nodes send the same group: the key shows repeats. */
const ALERTS = makePreset(
  printFirstText(
    {
      alerts: `{{#each alerts}}{{status}}: ${printFirstText(
        {
          'annotations.summary': `${ALERT_NAME}{{annotations.summary}}`,
          'annotations.description': `${ALERT_NAME}{{annotations.description}}`,
        },
        '{{#each labels}}{{this}} {{/each}}',
      )}\n{{/each}}`,
      // Grafana before version 9 sends `title`
      title: `{{title}}${printIfPresent('message', ': ')}`,
    },
    '{{#each alerts}}{{/each}}',
  ),
  printFirstText({
    alerts: `{{#each alerts}}${printFirstText(
      { fingerprint: '{{fingerprint}}' },
      '{{#each labels}}{{@key}}={{this}} {{/each}}',
    )} {{status}} ${printIfPresent('startsAt')},{{/each}}`,
  }),
  'status=resolved',
)

const printSentryObject = (path: string) =>
  `{{${path}.title}}${printIfPresent(`${path}.web_url`, ' ')}`
const SENTRY = makePreset(
  printFirstText(
    {
      'data.event': `Sentry {{action}}: ${printSentryObject('data.event')}`,
      'data.error': `Sentry error: ${printSentryObject('data.error')}`,
      'data.comment': 'Sentry comment {{action}}: {{data.comment}}',
      'data.issue': `Sentry issue {{action}}: ${printSentryObject('data.issue')}`,
      'data.description_title': `Sentry: {{data.description_title}}${printIfPresent('data.web_url', ' ')}`,
      'data.installation': 'Sentry integration {{action}}',
      action:
        `Sentry {{action}}${printIfPresent('data.state', ': ')}` +
        ['root_cause', 'solution']
          .map((name) => printIfPresent(`data.${name}.description`, ': '))
          .join(''),
    }, // else the body of the plugin that Sentry had before its integrations
    `Sentry${printIfPresent('project_name', ' ')}: ${printFirstText({ message: '{{message}}', 'event.title': '{{event.title}}' }, '{{culprit}}')}${printIfPresent('url', ' ')}`,
  ),
  printFirstText({
    'data.event.issue_id': '{{action}} {{data.event.issue_id}}',
    'data.error.issue_id': 'error {{data.error.issue_id}}',
    'data.comment_id': `{{action}} comment {{data.comment_id}}${printIfPresent('data.timestamp', ' ')}`,
    'data.issue.id': '{{action}} {{data.issue.id}}',
    'data.metric_alert.id': '{{action}} {{data.metric_alert.id}}',
    'data.run_id': '{{action}} {{data.run_id}}',
    id: '{{id}}',
  }),
  'action=resolved',
)

const writeObjectPath = (name: string) => `data.object.${name}`
const printMoney = (name: string, before = ', ') =>
  `${before}{{money ${writeObjectPath(name)} data.object.currency}}`
const STRIPE = makePreset(
  'Stripe: {{type}}' +
    `{{#if data.object.currency}}${printFirstText(
      Object.fromEntries(
        ['amount', 'amount_total', 'amount_due', 'total'].map((name) => [
          writeObjectPath(name),
          printMoney(name),
        ]),
      ),
    )}{{#if data.object.amount_refunded}}${printMoney('amount_refunded', ', refunded: ')}{{/if}}{{/if}}` +
    printFirstText(
      Object.fromEntries(
        [
          'last_payment_error.message',
          'last_setup_error.message',
          'failure_message',
          'last_finalization_error.message',
          'failure_reason',
          'reason',
          'cancellation_details.reason',
          'description',
        ].map((name) => [writeObjectPath(name), `, {{${writeObjectPath(name)}}}`]),
      ),
    ) +
    printFirstText({
      [writeObjectPath('id')]: ' ({{data.object.id}})',
      'related_object.id': ' ({{related_object.id}})',
    }),
  printIfPresent('id'),
)

/** Presets of hooks by name. The console shows their values as placeholders. */
export const PRESETS = {
  alertmanager: ALERTS,
  grafana: ALERTS,
  // the body of Uptime Kuma's test notification has no `heartbeat`
  'uptime-kuma': makePreset(
    '{{msg}}',
    `{{#if heartbeat}}{{heartbeat.monitorID}} {{heartbeat.status}} ${printIfPresent('heartbeat.time')}{{/if}}`,
    'heartbeat.status=1',
  ),
  'home-assistant': makePreset('{{#if title}}{{title}}: {{/if}}{{message}}'),
  github: makePreset(GITHUB_TEXT, GITHUB_ONCE, GITHUB_RESOLVED),
  sentry: SENTRY,
  stripe: STRIPE,
  ...AUTH_SERVERS,
  text: makePreset('{{text}}'),
  custom: makePreset(''),
} as const
