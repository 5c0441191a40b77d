import { useState } from 'preact/hooks'
import { formatPhone } from '#portable/phone/format.ts'
import { pb } from '../../data/client.ts'
import { readFields } from '../../data/contact-fields.ts'
import { pathOfPerson } from '../../data/personal-data.ts'
import type { Consent, ConsentState, Contact, ContactGroup } from '../../data/record-types.ts'
import { useGroups, useList } from '../../data/use/use-list.ts'
import { useRecord } from '../../data/use/use-record.ts'
import { t } from '../../language/words.ts'
import type { PageProps } from '../../pages.ts'
import { Dialog } from '../../parts/dialog/dialog.tsx'
import { Button, ButtonLink } from '../../parts/form/form.tsx'
import { Missing } from '../../parts/list/missing.tsx'
import { Pager } from '../../parts/list/records.tsx'
import { Card, Facts, Page as Frame, Loading } from '../../parts/page.tsx'
import { PhoneNumber } from '../../parts/phone-number.tsx'
import { ContactForm } from '../../parts/rows/contact-form.tsx'
import { Badge } from '../../parts/time.tsx'
import { TimeLine } from '../../parts/time-line.tsx'
import { pathOfConversation, to } from '../../router.ts'
import { RecordConsent } from './record-consent.tsx'
import { describePurpose, makeStep, STATES } from './steps.tsx'

export function Page({ params: { id = '' } }: PageProps) {
  const read = useRecord<Contact>('contacts', id)
  const groups = useGroups()
  const [isChanging, setChanging] = useState(false)
  const close = () => setChanging(false)
  const { record: contact } = read
  if (!contact)
    return (
      <Missing
        read={read}
        icon="contacts"
        title={t('Contact')}
        gone={t('There is no such contact')}
        all={[to('/contacts'), t('All contacts')]}
      />
    )
  const { name, phone } = contact
  return (
    <Frame
      title={name || formatPhone(phone)}
      back={{ href: to('/contacts'), words: t('Contacts') }}
      text={name && <PhoneNumber number={phone} />}
      actions={
        <>
          <ButtonLink icon="conversations" href={to(pathOfConversation(phone))}>
            {t('Conversation')}
          </ButtonLink>
          <ButtonLink icon="person" needs="admin" href={to(pathOfPerson(phone))}>
            {t('Personal data')}
          </ButtonLink>
          <Button icon="edit" needs="agent" onClick={() => setChanging(true)}>
            {t('Change')}
          </Button>
        </>
      }
    >
      <div class="columns">
        <Card title={t('Contact')}>
          <Facts
            facts={[
              ...readFields(contact),
              [t('Groups'), contact.groups.map(groups.findName).join(', ') || '–'],
              [
                t('State'),
                contact.opted_out ? <Badge tone="warn">{t('Opted out')}</Badge> : t('Not opted out'),
              ],
            ]}
          />
        </Card>
        <ConsentCard contact={contact} groups={groups.items} />
      </div>
      {isChanging && (
        <Dialog title={t('Change a contact')} onClose={close}>
          <ContactForm contact={contact} groups={groups.items} onClose={close} />
        </Dialog>
      )}
    </Frame>
  )
}

/** The present consents of a number, and how they came about. */
function ConsentCard({ contact, groups }: { contact: Contact; groups: readonly ContactGroup[] }) {
  const [isRecording, setRecording] = useState(false)
  const filter = pb.filter('number = {:number}', { number: contact.phone })
  const states = useList<ConsentState>('consent_states', { filter, sort: '-since', expand: 'group' })
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
          <Badge key={state.id} tone={STATES[state.state][0]}>
            {describePurpose(state)}: {STATES[state.state][1]}
          </Badge>
        ))}
      </div>
      <Button icon="plus" needs="agent" onClick={() => setRecording(true)}>
        {t('Record a consent')}
      </Button>
      <TimeLine steps={entries.items.map(makeStep)} />
      <Pager {...entries} />
      {isRecording && <RecordConsent contact={contact} groups={groups} onClose={() => setRecording(false)} />}
    </Card>
  )
}
