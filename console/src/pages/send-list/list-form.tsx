import { useMemo, useState } from 'preact/hooks'
import { guessColumns } from '#portable/phone/guess-columns.ts'
import type { CampaignPreview } from '../../data/campaign-preview.ts'
import { postRequest } from '../../data/client.ts'
import { requestKeys } from '../../data/connection/request-key.ts'
import type { Sheet } from '../../data/files/sheet.ts'
import { defaultCountry } from '../../data/phone/default-country.ts'
import { rememberForPerson } from '../../data/remember-for-person.ts'
import { findTimeFault, parseLocalTime, type When } from '../../data/text/local-time.ts'
import { formatSegments } from '../../data/text/text-size.ts'
import { useTemplates } from '../../data/use/use-list.ts'
import { usePreview } from '../../data/use/use-preview.ts'
import { useTask } from '../../data/use/use-task.ts'
import { t, tn, tx } from '../../language/words.ts'
import {
  confirmManyPeople,
  formatPeopleCount,
  MAX_PLAIN,
} from '../../parts/dialog/confirm-many-people.tsx'
import { ConsentField } from '../../parts/form/consent-field.tsx'
import { EstimatedCost } from '../../parts/form/estimated-cost.tsx'
import { Form, FormActions } from '../../parts/form/form.tsx'
import { QuietField } from '../../parts/form/quiet-field.tsx'
import { LastLeaves } from '../../parts/form/send-notices.tsx'
import { WhenField } from '../../parts/form/when-field.tsx'
import { Card } from '../../parts/page.tsx'
import { SendFault } from '../../parts/send-fault.tsx'
import { formatPlannedTime } from '../../parts/time.tsx'
import { goToPage } from '../../router.ts'
import { confirmSameText } from './confirm-same-text.ts'
import { ListFields, type Wishes } from './list-fields.tsx'
import { LeftOutRows, ListPreview } from './list-preview.tsx'
import {
  listUnknownPlaceholders,
  MOST_PREVIEWED,
  makeListRows,
  pickPreviewedRows,
} from './list-request.ts'

/** The titles of the columns with numbers that a person chose, by the titles of the file. */
const chosenColumns = rememberForPerson<Readonly<Record<string, readonly string[]>>>(
  'list-columns',
  {},
)
const MOST_FILES = 20
/** The pause of typing after which a long list is posted whole, for what its texts cost and who gets none. */
const REST_MS = 3_000

const nameFile = ({ head }: Sheet) => JSON.stringify(head)

/** The columns with numbers: those that were chosen for a file with these titles, or else guessed. */
function findPhones(sheet: Sheet): Pick<Wishes, 'phones' | 'guessed'> {
  const found = guessColumns(sheet.head, sheet.rows, defaultCountry.value).phones
  const guessed = found.length > 0 ? found : [0]
  const chosen = chosenColumns.value[nameFile(sheet)]?.map((title) => sheet.head.indexOf(title))
  return { guessed, phones: chosen ?? guessed }
}

function rememberPhones(sheet: Sheet, phones: readonly number[]): void {
  const titles = phones.map((at) => sheet.head[at]!)
  const others = Object.entries(chosenColumns.value).filter(([file]) => file !== nameFile(sheet))
  chosenColumns.value = Object.fromEntries(
    [...others, [nameFile(sheet), titles] as const].slice(-MOST_FILES),
  )
}

/** The form of a campaign to a list: each row of a sheet gets a text with its values. */
export function ListForm({ sheet, onBack }: { sheet: Sheet; onBack: () => void }) {
  const [wished, setWished] = useState<Wishes>(() => ({
    ...findPhones(sheet),
    name: '',
    country: '',
    text: '',
  }))
  // that of the account is known only when its settings have been read
  const wishes = { ...wished, country: wished.country || defaultCountry.value }
  const [when, setWhen] = useState<When>({ isLater: false, at: '' })
  const [isQuiet, setQuiet] = useState(true)
  const [needsConsent, setNeedsConsent] = useState(false)
  const [faults, setFaults] = useState<Readonly<Record<string, string>>>({})
  const [keys] = useState(() => requestKeys())
  const templates = useTemplates()
  const { phones, country, text, name } = wishes
  const list = useMemo(() => makeListRows(sheet, phones, country), [sheet, phones, country])
  const scheduledAt = when.isLater ? parseLocalTime(when.at) : ''
  const request = {
    list,
    body: text,
    variables: {},
    ...(name.trim() && { name: name.trim() }),
    ...(scheduledAt && { scheduled_at: scheduledAt }),
    ...(!isQuiet && { quiet_hours: false }),
    ...(needsConsent && { requires_consent: true }),
  }
  const unknown = listUnknownPlaceholders(text, sheet)
  const hasText = text.trim() !== '' && unknown.length === 0
  const isLong = list.length > MOST_PREVIEWED
  const few = useMemo(() => pickPreviewedRows(list), [list])
  const part = usePreview<CampaignPreview>(
    '/api/campaigns/preview',
    hasText && isLong ? { ...request, list: few } : undefined,
  )
  const { preview, fault } = usePreview<CampaignPreview>(
    '/api/campaigns/preview',
    hasText ? request : undefined,
    isLong ? REST_MS : undefined,
  )
  const work = useTask(async () => {
    const asked = await postRequest<CampaignPreview>('/api/campaigns/preview', request)
    if (asked.recipients_count > MAX_PLAIN && !(await confirmList(asked, scheduledAt))) return
    const triedAt = keys.since()
    const headers = { 'idempotency-key': keys.of(request) }
    // a repetition of a request whose answer was lost finds its own campaign
    if (keys.since() !== triedAt && !(await confirmSameText(text))) return keys.renew()
    const { id } = await postRequest<{ id: string }>('/api/campaigns', request, { headers })
    keys.renew()
    goToPage(`/campaigns/${id}`)
  })
  const submit = async () => {
    const found = {
      ...(text.trim() === '' && { text: t('Write a text first.') }),
      ...(unknown[0] !== undefined && {
        text: t('There is no column for {placeholder}.', { placeholder: `{{${unknown[0]}}}` }),
      }),
      ...findTimeFault(when),
    }
    setFaults(found)
    if (Object.keys(found).length === 0) await work.run()
  }
  const change = (part: Partial<Wishes>) => {
    setWished({ ...wished, ...part })
    if (part.phones) rememberPhones(sheet, part.phones)
    setFaults({})
  }
  const texts = tn('1 text', '{count} texts', preview?.recipients_count ?? list.length)
  return (
    <div class="stack">
      <div class="list-columns">
        <Card>
          <Form onSubmit={submit}>
            {work.fault && <SendFault fault={work.fault} />}
            <ListFields
              sheet={sheet}
              wishes={wishes}
              faults={faults}
              templates={templates}
              onChange={change}
            />
            <WhenField
              when={when}
              error={faults.at}
              onChange={(part) => {
                setWhen({ ...when, ...part })
                setFaults({})
              }}
            />
            <QuietField value={isQuiet} onValue={setQuiet} />
            <ConsentField value={needsConsent} onValue={setNeedsConsent} />
            <FormActions icon="send" busy={work.busy} onCancel={onBack} cancel={t('Another file')}>
              {when.isLater ? t('Schedule {texts}', { texts }) : t('Send {texts}', { texts })}
            </FormActions>
          </Form>
        </Card>
        <ListPreview
          sheet={sheet}
          samples={(part.preview ?? preview)?.samples ?? []}
          preview={preview}
          fault={part.fault ?? fault}
        />
      </div>
      <LeftOutRows sheet={sheet} preview={preview} />
    </div>
  )
}

/** Asks the user before many texts are sent. `scheduledAt`: the time to send them; '' for now. */
const confirmList = (preview: CampaignPreview, scheduledAt: string): Promise<boolean> =>
  confirmManyPeople({
    people: preview.recipients_count,
    what: tx('This goes to {people} and takes {segments}. The first text, to {number}:', {
      people: <strong>{formatPeopleCount(preview.recipients_count)}</strong>,
      segments: <strong>{formatSegments(preview.segments)}</strong>,
      number: preview.first.to,
    }),
    firstText: preview.first.body,
    cost: <EstimatedCost estimate={preview.estimate} />,
    begins: (
      <>
        {scheduledAt
          ? t('They are sent on {time}.', { time: formatPlannedTime(scheduledAt) })
          : t('It begins after 10 seconds, in which you can undo it.')}{' '}
        <LastLeaves at={preview.last_leaves_at} dueAt={scheduledAt} />
      </>
    ),
    isLater: scheduledAt !== '',
  })
