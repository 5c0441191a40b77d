import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { nameChoices } from '../../data/choices.ts'
import { pb } from '../../data/client.ts'
import { groupActs } from '../../data/consent-acts.ts'
import type { Consent, ConsentState, Contact, ContactGroup } from '../../data/record-types.ts'
import { useList } from '../../data/use/use-list.ts'
import { CONSENT_STATES, describePurpose } from '../../data/words/consent-words.ts'
import { t } from '../../language/words.ts'
import { Dialog } from '../../parts/dialog/dialog.tsx'
import { Button, Notice } from '../../parts/form/form.tsx'
import { Pager } from '../../parts/list/records.tsx'
import { Card, Facts, Loading } from '../../parts/page.tsx'
import { CONSENT_ROWS } from '../../parts/rows/consent-rows.ts'
import { RecordForm } from '../../parts/rows/record-form.tsx'
import { Badge, formatDateTime, formatDay } from '../../parts/time.tsx'
import { TimeLine } from '../../parts/time-line.tsx'
import type { Step } from '../../parts/time-line-step.ts'
import { makePageHref } from '../../router.ts'

/** The present consents of a number, and the entries that made them. */
export function ConsentCard({
  contact,
  groups,
}: {
  contact: Contact
  groups: readonly ContactGroup[]
}) {
  const [isRecording, setRecording] = useState(false)
  const filter = pb.filter('number = {:number}', { number: contact.phone })
  const states = useList<ConsentState>('consent_states', {
    filter,
    sort: '-since',
    expand: 'group',
  })
  const entries = useList<Consent>('consents', {
    filter,
    sort: '-created,-@rowid',
    expand: 'group,entered_by',
  })
  return (
    <Card title={t('Consent')}>
      {entries.loading && <Loading />}
      {!entries.loading && entries.items.length === 0 && (
        <p class="muted">{t('No consent recorded for this number.')}</p>
      )}
      <div class="row">
        {states.items.map((state) => (
          <Badge key={state.id} tone={CONSENT_STATES[state.state][0]}>
            {describePurpose(state)}: {CONSENT_STATES[state.state][1]}
          </Badge>
        ))}
      </div>
      <Button icon="plus" needs="agent" onClick={() => setRecording(true)}>
        {t('Record a consent')}
      </Button>
      <TimeLine steps={groupActs(entries.items).map(makeStep)} />
      <Pager {...entries} />
      {isRecording && (
        <RecordConsent contact={contact} groups={groups} onClose={() => setRecording(false)} />
      )}
    </Card>
  )
}

/** Adds an entry to the ledger of consents. Groups that ask for a confirmation need the person's own. */
function RecordConsent({
  contact,
  groups,
  onClose,
}: {
  contact: Contact
  groups: readonly ContactGroup[]
  onClose: () => void
}) {
  const choices = nameChoices(groups.filter((group) => !group.join_confirm))
  const entry = { contact: contact.id, number: contact.phone, event: 'opt_in', source: 'console' }
  return (
    <Dialog title={t('Record a consent')} onClose={onClose}>
      {contact.opted_out && (
        <Notice kind="warning">
          {t('This person has opted out. Only a consent of a later day counts.')}
        </Notice>
      )}
      <RecordForm
        collection="consents"
        draftKey={`consents.${contact.id}`}
        rows={[
          {
            name: 'group',
            label: t('For'),
            kind: 'select',
            choices: [['', t('All texts')], ...choices],
          },
          ...CONSENT_ROWS,
        ]}
        prepare={(fields) => ({ ...fields, ...entry })}
        saved={t('Consent recorded')}
        onClose={onClose}
      />
    </Dialog>
  )
}

const EVENTS = {
  opt_in: ['good', t('Agreed')],
  confirmed: ['good', t('Confirmed')],
  opt_out: ['warn', t('Opted out')],
  imported: ['', t('Imported')],
  undone: ['', t('By mistake, undone')],
} as const satisfies Record<Consent['event'], readonly unknown[]>

const SOURCES: Readonly<Record<Consent['source'], string>> = {
  '': '',
  keyword: t('a word that the person texted'),
  reply: t('the reply to a question'),
  page: t('the public page'),
  api: t('a program'),
  import: t('an import'),
  console: t('the console'),
}

/** The label of `said`: a member also enters there how the person agreed. */
const labelConsentText = (source: Consent['source']) =>
  source === 'console' || source === 'import' ? t('How they agreed') : t('Text from the person')

/** A member enters only the day. */
const formatConsentTime = ({ source, given_at }: Consent) =>
  source === 'console' || source === 'import' ? formatDay(given_at) : formatDateTime(given_at)

/** One act of a person, such as a word texted, may be about several groups: a step of the time line. */
function makeStep(act: readonly Consent[]): Step<ComponentChildren> {
  const entry = act[0]!
  const [tone, word] = EVENTS[entry.event]
  const { id, created, source, shown, version, said, message, given_at, address, browser, expand } =
    entry
  const facts = [
    source !== '' && ([t('By'), SOURCES[source]] as const),
    expand?.entered_by?.name !== undefined && ([t('Entered by'), expand.entered_by.name] as const),
    given_at !== '' && ([t('Given'), formatConsentTime(entry)] as const),
    shown !== '' && ([t('Text that the person saw'), <p class="as-written">{shown}</p>] as const),
    version !== '' && ([t('Version'), <code>{version}</code>] as const),
    said !== '' &&
      ([
        labelConsentText(source),
        message ? <a href={makePageHref(`/messages/${message}`)}>{said}</a> : said,
      ] as const),
    address !== '' && ([t('Network address'), address] as const),
    browser !== '' && ([t('Browser'), browser] as const),
  ]
  return {
    id,
    tone,
    at: created,
    words: t('{name}: {text}', { name: word, text: act.map(describePurpose).join(', ') }),
    detail: <Facts facts={facts} />,
  }
}
