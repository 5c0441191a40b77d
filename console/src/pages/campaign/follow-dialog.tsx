import { useRef, useState } from 'preact/hooks'
import type { CampaignPreview } from '../../data/campaign-preview.ts'
import { postRequest } from '../../data/client.ts'
import { requestKeys } from '../../data/connection/request-key.ts'
import type { Campaign } from '../../data/record-types.ts'
import { formatSegments, formatTextSize } from '../../data/text/text-size.ts'
import { usePreview } from '../../data/use/use-preview.ts'
import { useTask } from '../../data/use/use-task.ts'
import { t } from '../../language/words.ts'
import { formatPeopleCount } from '../../parts/dialog/confirm-many-people.tsx'
import { Dialog } from '../../parts/dialog/dialog.tsx'
import { EstimatedCost } from '../../parts/form/estimated-cost.tsx'
import { SelectField, TextArea } from '../../parts/form/field.tsx'
import { Form, FormActions, Notice } from '../../parts/form/form.tsx'
import { VariableButtons } from '../../parts/form/variable-buttons.tsx'
import { goToPage } from '../../router.ts'

/** Recipients of a campaign who can get another text, by the state of theirs. */
const STATES = [
  ['sent', t('Those who got it')],
  ['not_sent', t('Those who did not get it')],
  ['failed', t('Those whose text failed')],
  ['answered', t('Those who answered')],
] as const

/** Texts a part of a campaign's recipients again, as a new campaign. They are counted before. */
export function FollowDialog({ campaign, onClose }: { campaign: Campaign; onClose: () => void }) {
  const [state, setState] = useState<string>('sent')
  const [text, setText] = useState('')
  const [keys] = useState(() => requestKeys())
  const area = useRef<HTMLTextAreaElement>(null)
  const request = { of_campaign: campaign.id, state, body: text, variables: {} }
  const hasText = text.trim() !== ''
  const { preview, fault } = usePreview<CampaignPreview>('/api/campaigns/preview', {
    ...request,
    // the people are counted before a text is written
    body: hasText ? text : campaign.body,
  })
  const work = useTask(async () => {
    const headers = { 'idempotency-key': keys.of(request) }
    const { id } = await postRequest<{ id: string }>('/api/campaigns', request, { headers })
    keys.renew()
    onClose()
    goToPage(`/campaigns/${id}`)
  })
  const people = preview && formatPeopleCount(preview.recipients_count)
  return (
    <Dialog title={t('Text them again')} onClose={onClose}>
      <Form onSubmit={work.run} fault={work.fault}>
        <SelectField
          label={t('To')}
          name="state"
          value={state}
          onValue={setState}
          choices={STATES}
        />
        <TextArea
          label={t('Text')}
          name="text"
          rows={4}
          inputRef={area}
          value={text}
          onValue={setText}
          hint={formatTextSize(text, false)}
        />
        <VariableButtons text={text} onText={setText} area={area} />
        {fault && <Notice kind="warning">{fault.message}</Notice>}
        {people && (
          <p role="status">
            <strong>{people}</strong>
            {hasText && `, ${formatSegments(preview.segments)}`}
            {hasText && <EstimatedCost estimate={preview.estimate} />}
          </p>
        )}
        <FormActions
          icon="send"
          busy={work.busy}
          disabled={!hasText || !preview}
          onCancel={onClose}
        >
          {people ? t('Send to {people}', { people }) : t('Send')}
        </FormActions>
      </Form>
    </Dialog>
  )
}
