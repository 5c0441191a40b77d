import { useState } from 'preact/hooks'
import { MAX_OF_AGENT } from '#portable/agents.ts'
import { formatPhone } from '#portable/phone/format.ts'
import { MAX_PLAIN } from '../../data/campaigns.ts'
import { isSimulated } from '../../data/device/lines.ts'
import type { Fault } from '../../data/fault.ts'
import type { Device, Template } from '../../data/records.ts'
import { may } from '../../data/session.ts'
import { isSameName } from '../../data/text/placeholders.ts'
import { segmentsText } from '../../data/text/text-size.ts'
import { ownVariables } from '../../data/text/variables.ts'
import type { Usage } from '../../data/usage.ts'
import { useAnswer } from '../../data/use/use-answer.ts'
import { useDraft } from '../../data/use/use-draft.ts'
import { useNames } from '../../data/use/use-known.ts'
import { useGroups, useList } from '../../data/use/use-list.ts'
import { usePreview } from '../../data/use/use-preview.ts'
import { formatNumber, t, tn, tx } from '../../language/words.ts'
import { Button, Form } from '../../parts/form/form.tsx'
import { LastLeaves, OnlySimulated } from '../../parts/form/hold-notice.tsx'
import { QuietField } from '../../parts/form/quiet-field.tsx'
import { RepeatField } from '../../parts/form/repeat-field.tsx'
import { WhenField } from '../../parts/form/when-field.tsx'
import { Bubble } from '../../parts/message/bubble.tsx'
import { Card } from '../../parts/page.tsx'
import { SendFault } from '../../parts/send-fault.tsx'
import { to } from '../../router.ts'
import {
  type Composition,
  faultsOf,
  isPersonal,
  type Preview,
  placeFault,
  previewOf,
  requestOf,
} from './composition.ts'
import { MoreFields } from './more-fields.tsx'
import { RecipientsField } from './recipients/recipients-field.tsx'
import { useSend } from './send-as-campaign.tsx'
import { WhatField } from './what-field.tsx'

const MOST_TEMPLATES = 500

export function Compose({
  draftKey,
  initial,
  devices,
}: {
  draftKey: string
  initial: Composition
  devices: readonly Device[]
}) {
  const draft = useDraft(draftKey, initial)
  const composition = draft.value
  const [faults, setFaults] = useState<Record<string, string>>({})
  const groups = useGroups()
  const templates = useList<Template>('sms_templates', { sort: 'name', perPage: MOST_TEMPLATES })
  const usage = useAnswer<Usage>('/api/sms/usage')
  const send = useSend()

  const template = templates.items.find(({ id }) => id === composition.template)
  const variables = ownVariables(composition.kind === 'template' ? (template?.body ?? '') : composition.text)
  const hasText = composition.kind === 'text' ? composition.text !== '' : template !== undefined
  const { preview, fault: previewFault } = usePreview<Preview>(
    '/api/sms/preview',
    hasText ? previewOf(composition, variables) : undefined,
  )

  // variables without a value, spelled as in the text: the server may spell them in another case
  const missing = variables.filter((name) => preview?.missing?.some((other) => isSameName(name, other)))

  const change = (part: Partial<Composition>) => {
    draft.change(part)
    setFaults({})
    if (!send.busy) send.forget()
  }
  const submit = async () => {
    const faults = faultsOf(composition, missing, Date.now())
    setFaults(faults)
    if (Object.keys(faults).length > 0) focusFirstFault()
    else if (await send.run(requestOf(composition, variables))) draft.saved()
  }
  // no error: a campaign may have more recipients than a preview accepts
  const isLong = previewFault?.code === 'too_many_recipients'
  const repeats = composition.repeat.cron !== ''
  const isCampaign = isLong || repeats || (preview?.recipients_count ?? 0) > MAX_PLAIN
  const refusal = send.fault ?? (isLong ? undefined : previewFault)
  const fault = withMissing(refusal && placeFault(refusal), faults)
  const isPlaced = fault !== undefined && Object.keys(fault.fields).length > 0

  return (
    <div class="send-columns">
      <Card>
        <Form onSubmit={submit}>
          {send.fault && !isPlaced && <SendFault fault={send.fault} />}
          <RecipientsField
            composition={composition}
            onChange={change}
            groups={groups}
            error={fault?.fields.to}
          />
          <WhatField
            {...{ composition, fault, variables }}
            missing={missing}
            onChange={change}
            templates={templates.items}
          />
          <WhenField when={composition} fault={fault} onChange={change} repeats={repeats} />
          {may('admin') && (
            <RepeatField
              value={composition.repeat}
              onValue={(repeat) => change({ repeat })}
              from={composition.isLater ? composition.at : ''}
              error={fault?.fields.cron}
            />
          )}
          <QuietField value={composition.isQuiet ?? isCampaign} onValue={(isQuiet) => change({ isQuiet })} />
          <MoreFields {...{ composition, fault, devices }} onChange={change} />
          {devices.every(isSimulated) && <OnlySimulated />}
          <div class="send-foot">
            <Cost {...{ preview, hasText }} fault={previewFault} chosen={composition} usage={usage.value} />
            <Button
              type="submit"
              kind="primary"
              icon={composition.isLater || repeats ? 'clock' : 'send'}
              busy={send.busy}
            >
              {repeats ? t('Start repeating') : wordsOf(composition.isLater, preview?.recipients_count ?? 0)}
            </Button>
          </div>
        </Form>
      </Card>
      <PreviewCard {...{ preview, hasText }} fault={previewFault} isPersonal={isPersonal(composition)} />
    </div>
  )
}

const wordsOf = (isLater: boolean, people: number) =>
  people > 1
    ? isLater
      ? t('Schedule for {count} people', { count: people })
      : t('Send to {count} people', { count: people })
    : isLater
      ? t('Schedule')
      : t('Send')

/** The error to show in the form: the fields' own errors, or if there are none, the server's. */
function withMissing(fault: Fault | undefined, missing: Record<string, string>): Fault | undefined {
  if (Object.keys(missing).length === 0) return fault
  return { message: '', code: '', status: 400, fields: missing }
}

/** Focuses the first field with an error, once the error is rendered. */
function focusFirstFault(): void {
  requestAnimationFrame(() =>
    document.querySelector<HTMLElement>('.send-columns [aria-invalid="true"]')?.focus(),
  )
}

function Cost({
  preview,
  fault,
  hasText,
  chosen,
  usage,
}: {
  preview: Preview | undefined
  fault: Fault | undefined
  hasText: boolean
  chosen: Composition
  usage: Usage | undefined
}) {
  const people = preview?.recipients_count ?? chosen.recipients.filter(({ fault }) => !fault).length
  const optedOut = preview?.opted_out ?? 0
  const left = usage?.remaining
  const isTooMany = people > MAX_OF_AGENT && !may('admin')
  const isShort = left !== null && left !== undefined && people - optedOut > left
  return (
    <div class={isShort || isTooMany ? 'send-cost wrong' : 'send-cost'} role="status">
      {people > 0 && (preview || chosen.groups.length === 0) ? (
        <strong>
          {tn('1 person', '{count} people', people)}
          {preview && `, ${segmentsText(preview.total_segments)}`}
        </strong>
      ) : (
        <span class="muted">{noCostWords(chosen.groups.length > 0, hasText, fault)}</span>
      )}
      {!may('admin') && (
        <span>{t('Agents send to at most {count} people at once', { count: MAX_OF_AGENT })}</span>
      )}
      {preview && <LastLeaves at={preview.last_leaves_at} dueAt={chosen.isLater ? chosen.at : ''} />}
      {optedOut > 0 && (
        <span>
          {tn('1 opted out, who will get nothing', '{count} opted out, who will get nothing', optedOut)}
        </span>
      )}
      {usage && left !== null && left !== undefined && (
        <span>
          {tx(isShort ? 'Only {left} of {quota} messages {link}' : '{left} of {quota} messages {link}', {
            left: formatNumber(left),
            quota: formatNumber(usage.quota),
            link: <a href={to('/usage')}>{t('left this month')}</a>,
          })}
        </span>
      )}
    </div>
  )
}

/** Says why the cost is unknown. The card beside it shows the server's error. */
function noCostWords(hasGroups: boolean, hasText: boolean, fault: Fault | undefined): string {
  if (!hasGroups) return t('Nobody to send to yet')
  if (!hasText) return t('A text is missing')
  return fault ? t('Not known yet') : t('Counting…')
}

const SHOWN = 3

function PreviewCard({
  preview,
  fault,
  hasText,
  isPersonal,
}: {
  preview: Preview | undefined
  fault: Fault | undefined
  hasText: boolean
  isPersonal: boolean
}) {
  const told = preview?.items.filter((item) => !item.opted_out) ?? []
  const items = told.slice(0, isPersonal ? SHOWN : 1)
  const nameOf = useNames(items.map(({ to }) => to))
  const rest = told.length - items.length
  return (
    <Card title={t('As it will arrive')}>
      {!preview || preview.body === '' ? (
        <p class="muted">{noPreviewWords(hasText, fault)}</p>
      ) : (
        <div class="stack">
          {items.length === 0 && <Bubble who="" body={preview.body} segments={preview.segments} />}
          {items.map(({ to, body, segments }) => (
            <Bubble
              key={to}
              who={isPersonal || rest === 0 ? nameOf(to) || formatPhone(to) : ''}
              body={body}
              segments={segments}
            />
          ))}
          {rest > 0 && items.length > 0 && (
            <p class="muted">
              {isPersonal
                ? t('and {count} more, each their own', { count: rest })
                : t('The same text goes to each of the {count}.', { count: rest + 1 })}
            </p>
          )}
        </div>
      )}
    </Card>
  )
}

function noPreviewWords(hasText: boolean, fault: Fault | undefined): string {
  if (!hasText) return t('Write a text to see it here.')
  if (fault?.code === 'too_many_recipients')
    return t('For so many people the text and what it takes are shown before it is sent.')
  return fault?.message ?? t('Counting…')
}
