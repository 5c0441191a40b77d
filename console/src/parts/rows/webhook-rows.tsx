import type { ComponentProps } from 'preact'
import { useState } from 'preact/hooks'
import { findServiceName, findWebhookPreset } from '#portable/webhook-presets.ts'
import { webhooks } from '../../data/collections.ts'
import type { Webhook } from '../../data/record-types.ts'
import { useSetup } from '../../data/setup.ts'
import { EVENT_WORDS, fitToService, listEvents } from '../../data/webhooks/webhook-events.ts'
import { usesPlaceholder, WEBHOOK_SERVICES } from '../../data/webhooks/webhooks.ts'
import { NO_MAIL_SERVER } from '../../data/words/fault-sentences.ts'
import { t } from '../../language/words.ts'
import { Notice } from '../form/form.tsx'
import { makeLinesRow } from './common-rows.tsx'
import type { FormRow } from './form-row.ts'
import { JSON_ROW, readJson } from './json-row.ts'
import { RecordForm } from './record-form.tsx'
import type { Value, Values } from './values.ts'

/** Converts typed phone numbers and sender names (`+49 30*, DHL`) to the stored text: `+4930*,DHL`. */
const readNumbers = (typed: Value): string =>
  String(typed)
    .split(/[,;\n]/)
    .map((one) => one.trim().replace(/^00/, '+'))
    .map((one) => (one.startsWith('+') ? one.replace(/[\s()/-]/g, '') : one))
    .filter((one) => one !== '')
    .join(',')

/** The typed address, or else the service's own; '' if the service has another address for each user. */
function chooseAddress(preset: string, typed: string): string {
  if (preset === 'mail' && typed.includes('@')) return typed.replace(/^(mailto:)?/, 'mailto:')
  const { url } = findWebhookPreset(preset)
  return typed || (/…|example/.test(url) ? '' : url)
}

const makePlaceholderTest =
  (placeholder: string) =>
  ({ preset }: Values) =>
    usesPlaceholder(String(preset), placeholder)

const readOrigin = (url: string) => /^https?:\/\/[^/?#]+/i.exec(url)?.[0].toLowerCase()

/** The server keeps a stored token for the same server only. */
function describeToken(url: string, stored: Webhook | undefined): string {
  if (!stored?.token) return t('The token is not shown again.')
  return readOrigin(url) === readOrigin(stored.url)
    ? t('The token is not shown again. Empty: the stored token stays.')
    : t('The stored token is for another server: enter the token of this one.')
}

const makeWebhookRows = (
  preset: string,
  url: string,
  stored: Webhook | undefined,
): readonly FormRow[] => [
  {
    name: 'preset',
    label: t('For'),
    choices: WEBHOOK_SERVICES.map(([service, name]) => [service, name] as const),
    hint: WEBHOOK_SERVICES.find(([service]) => service === preset)?.[2],
  },
  () => preset === 'mail' && <MailNotice />,
  {
    name: 'url',
    label: t('Address'),
    placeholder: findWebhookPreset(preset).url,
    write: (typed) => chooseAddress(preset, String(typed).trim()),
    error: (typed) =>
      preset !== 'mail' && /^mailto:/i.test(String(typed).trim())
        ? t('Write an address such as https://example.com.')
        : undefined,
    hint:
      preset === '' && findServiceName(url)
        ? t('This is an address of {service}: choose {service} above.', {
            service: findServiceName(url)!,
          })
        : undefined,
  },
  { name: 'target', label: t('Chat, room or topic'), shown: makePlaceholderTest('{{target}}') },
  {
    name: 'token',
    label: t('Token of the service'),
    kind: 'password',
    shown: makePlaceholderTest('{{token}}'),
    autocomplete: 'off',
    hint: describeToken(url, stored),
  },
  {
    name: 'events',
    label: t('Events'),
    choices: listEvents(preset).map((event) => [event, EVENT_WORDS[event]] as const),
  },
  makeLinesRow(t('Only messages of these lines (none: of all)')),
  {
    name: 'numbers',
    label: t('Only to and from these numbers (empty: all)'),
    write: readNumbers,
    placeholder: '+4915112345678, +4930*, DHL',
    refused: t('Write numbers as +4915112345678, with commas between.'),
    hint: t(
      'Separate by commas. +4930* means all numbers that begin with +4930. Some senders have a name instead of a number, such as DHL.',
    ),
  },
  ...(preset
    ? [{ summary: t('More: body, method, headers'), folded: makeRequestRows(preset) }]
    : []),
]

const makeRequestRows = (preset: string): readonly FormRow[] => [
  () => <p class="note">{t('What is left empty here is as the service needs it.')}</p>,
  {
    name: 'body',
    label: t('Body'),
    rows: 4,
    ...JSON_ROW,
    placeholder: readJson(findWebhookPreset(preset).body),
    hint: t(
      'JSON, whose texts are templates: {{data.body}}, {{data.from}}, {{data.to}}, {{data.status}}.',
    ),
  },
  {
    name: 'method',
    label: t('Method'),
    choices: [['', t('Usual')], ...webhooks.method.values.map((one) => [one, one] as const)],
  },
  {
    name: 'headers',
    label: t('Headers'),
    rows: 2,
    ...JSON_ROW,
    placeholder: readJson(findWebhookPreset(preset).headers),
  },
]

function MailNotice() {
  const { value: setup } = useSetup()
  return setup?.sends_mail === false && <Notice kind="warning">{NO_MAIL_SERVER}</Notice>
}

type FormProps = Omit<ComponentProps<typeof RecordForm<'webhooks'>>, 'collection' | 'rows'>

export function WebhookForm({
  more = [],
  prepare,
  ...rest
}: FormProps & { more?: readonly FormRow[] }) {
  const stored = rest.record as Webhook | undefined
  const [preset, setPreset] = useState(String(stored?.preset ?? ''))
  const [url, setUrl] = useState(stored?.url ?? '')
  return (
    <RecordForm
      {...rest}
      collection="webhooks"
      rows={[...makeWebhookRows(preset, url, stored), ...more]}
      prepare={(changes, all) => ({
        ...fitToService(changes, all),
        ...prepare?.(changes, all),
      })}
      onTyped={(all) => {
        setPreset(String(all.preset ?? ''))
        setUrl(String(all.url ?? ''))
      }}
    />
  )
}
