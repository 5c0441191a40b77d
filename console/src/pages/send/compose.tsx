import { useEffect, useState } from 'preact/hooks'
import { isSameName } from '#portable/fold-text.ts'
import { isSimulated } from '../../data/device/lines.ts'
import type { Fault } from '../../data/fault.ts'
import type { Device } from '../../data/record-types.ts'
import { hasTeamRole } from '../../data/session.ts'
import { listOwnVariables } from '../../data/text/variables.ts'
import type { Usage } from '../../data/usage.ts'
import { addFileNames, type ChosenFile } from '../../data/use/chosen-files.ts'
import { hasKeyboard } from '../../data/use/media-queries.ts'
import { useAnswer } from '../../data/use/use-answer.ts'
import { useDraft } from '../../data/use/use-draft.ts'
import { useFiles } from '../../data/use/use-files.ts'
import { useGroups, useTemplates } from '../../data/use/use-list.ts'
import { usePreview } from '../../data/use/use-preview.ts'
import { t } from '../../language/words.ts'
import { MAX_PLAIN } from '../../parts/dialog/confirm-many-people.tsx'
import { AddPictures } from '../../parts/form/add-pictures.tsx'
import { ConsentField } from '../../parts/form/consent-field.tsx'
import { TextField } from '../../parts/form/field.tsx'
import { Button, Form } from '../../parts/form/form.tsx'
import { QuietField } from '../../parts/form/quiet-field.tsx'
import { RepeatField } from '../../parts/form/repeat-field.tsx'
import { OnlySimulated } from '../../parts/form/send-notices.tsx'
import { WhenField } from '../../parts/form/when-field.tsx'
import { Card } from '../../parts/page.tsx'
import { SendFault } from '../../parts/send-fault.tsx'
import { FirstSteps } from '../../shell/first-steps.tsx'
import { AudienceFilter } from './audience-filter.tsx'
import {
  type Composition,
  countReached,
  isPersonalText,
  makePreview,
  makeRequest,
  type Preview,
  readFilter,
} from './composition.ts'
import { findFaults, placeFault } from './composition-faults.ts'
import { Cost } from './cost.tsx'
import { MoreFields } from './more-fields.tsx'
import { PreviewCard } from './preview-card.tsx'
import { RecipientsField } from './recipients/recipients-field.tsx'
import { useSend } from './use-send.ts'
import { WhatField } from './what-field.tsx'

const NAME = '[name="name"]'
const TEXT = '.send-columns :is(textarea[name="text"], select[name="template"])'

export function Compose({
  draftKey,
  initial,
  initialFiles,
  devices,
}: {
  draftKey: string
  initial: Composition
  initialFiles?: readonly ChosenFile[]
  devices: readonly Device[]
}) {
  const draft = useDraft(draftKey, initial)
  const composition = draft.value
  const [faults, setFaults] = useState<Record<string, string>>({})
  const groups = useGroups()
  const templates = useTemplates()
  const usage = useAnswer<Usage>('/api/sms/usage')
  const send = useSend()
  const chosen = useFiles(draftKey, initialFiles)
  const { files } = chosen
  useEffect(() => {
    const isFor = composition.recipients.length + composition.groups.length
    // without recipients, their field takes the focus
    const first = composition.isCampaign && !composition.name ? NAME : isFor > 0 && TEXT
    if (hasKeyboard.value && first)
      document.querySelector<HTMLElement>(first)?.focus({ preventScroll: true })
  }, [])

  const template = templates.find(({ id }) => id === composition.template)
  const variables = listOwnVariables(
    composition.kind === 'template' ? (template?.body ?? '') : composition.text,
  )
  const hasText =
    files.length > 0 ||
    (composition.kind === 'text' ? composition.text !== '' : template !== undefined)
  const { preview, fault: previewFault } = usePreview<Preview>(
    '/api/sms/preview',
    hasText ? addFileNames(makePreview(composition, variables), files) : undefined,
  )

  // variables without a value, spelled as in the text: the server may spell them in another case
  const missing = variables.filter((name) =>
    preview?.missing?.some((other) => isSameName(name, other)),
  )

  const change = (part: Partial<Composition>) => {
    draft.change(part)
    setFaults({})
    if (!send.busy) send.forget()
  }
  const submit = async () => {
    const faults = findFaults(composition, missing, Date.now(), files.length > 0, chosen.lost)
    setFaults(faults)
    if (Object.keys(faults).length > 0) focusFirstFault()
    else if (await send.run(makeRequest(composition, variables), files)) {
      draft.saved()
      chosen.set([])
    }
  }
  // no error: a campaign may have more recipients than a preview accepts
  const isLong = previewFault?.code === 'too_many_recipients'
  const repeats = composition.repeat.cron !== ''
  // a preview does not count the people of a filter
  const counted = readFilter(composition) ? undefined : preview
  const reached = counted ? countReached(counted) : 0
  const isCampaign = composition.isCampaign || isLong || repeats || reached > MAX_PLAIN
  const refusal = send.fault ?? (isLong ? undefined : previewFault)
  const fault = addMissingFaults(refusal && placeFault(refusal), faults)
  const isPlaced = fault !== undefined && Object.keys(fault.fields).length > 0

  return (
    <div class="send-columns">
      <Card>
        <Form onSubmit={submit}>
          {send.fault && !isPlaced && <SendFault fault={send.fault} />}
          {composition.isCampaign && (
            <TextField
              label={t('Name')}
              name="name"
              hint={t('Recipients do not see the name.')}
              value={composition.name}
              onValue={(name) => change({ name })}
            />
          )}
          <RecipientsField
            composition={composition}
            onChange={change}
            groups={groups}
            error={fault?.fields.to}
          />
          {composition.isCampaign && hasTeamRole('admin') && (
            <AudienceFilter
              value={composition.filter}
              error={fault?.fields.filter}
              onValue={(filter) => change({ filter })}
            />
          )}
          <WhatField
            composition={composition}
            fault={fault}
            variables={variables}
            missing={missing}
            preview={preview}
            hasGap={preview?.missing?.some((name) => isSameName(name, 'name')) ?? false}
            hasFiles={files.length > 0}
            onChange={change}
            templates={templates}
          />
          <div class="send-choices">
            <AddPictures
              files={files}
              lost={chosen.lost}
              error={fault?.fields.files}
              onFiles={(files) => {
                chosen.set(files)
                change({})
              }}
            />
            <WhenField when={composition} fault={fault} onChange={change} repeats={repeats} />
            {hasTeamRole('admin') && (
              <RepeatField
                value={composition.repeat}
                onValue={(repeat) => change({ repeat })}
                from={composition.isLater ? composition.at : ''}
                error={fault?.fields.cron}
              />
            )}
            <QuietField
              value={composition.isQuiet ?? isCampaign}
              onValue={(isQuiet) => change({ isQuiet })}
            />
            {hasTeamRole('admin') && (
              <ConsentField
                value={composition.needsConsent}
                onValue={(needsConsent) => change({ needsConsent })}
              />
            )}
          </div>
          <MoreFields composition={composition} fault={fault} devices={devices} onChange={change} />
          {devices.every(isSimulated) && <OnlySimulated />}
          <div class="send-foot">
            <Cost
              preview={preview}
              hasText={hasText}
              fault={previewFault}
              chosen={composition}
              usage={usage.value}
            />
            <Button
              type="submit"
              kind="primary"
              icon={composition.isLater || repeats ? 'clock' : 'send'}
              busy={send.busy}
              disabled={counted !== undefined && counted.recipients_count > 0 && reached === 0}
            >
              {repeats ? t('Start repeating') : describeSend(composition.isLater, reached)}
            </Button>
          </div>
        </Form>
      </Card>
      <div class="stack">
        <PreviewCard
          preview={preview}
          hasText={hasText}
          fault={previewFault}
          isPersonal={isPersonalText(composition)}
          files={files}
          template={composition.kind === 'template' ? template : undefined}
        />
        <FirstSteps />
      </div>
    </div>
  )
}

const describeSend = (isLater: boolean, people: number) =>
  people > 1
    ? isLater
      ? t('Schedule for {count} people', { count: people })
      : t('Send to {count} people', { count: people })
    : isLater
      ? t('Schedule#button')
      : t('Send')

/** The error to show in the form: the fields' own errors, or if there are none, the server's. */
function addMissingFaults(
  fault: Fault | undefined,
  missing: Record<string, string>,
): Fault | undefined {
  if (Object.keys(missing).length === 0) return fault
  return { message: '', code: '', status: 400, fields: missing }
}

/** Focuses the first field with an error, once the error is rendered. */
function focusFirstFault(): void {
  requestAnimationFrame(() =>
    document.querySelector<HTMLElement>('.send-columns [aria-invalid="true"]')?.focus(),
  )
}
