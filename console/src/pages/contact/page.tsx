import { useState } from 'preact/hooks'
import { describeFields } from '../../data/contact-field-words.ts'
import { nameContact } from '../../data/name-contact.ts'
import { applyChanges } from '../../data/optimistic.ts'
import { makePersonPath } from '../../data/personal-data.ts'
import type { Contact } from '../../data/record-types.ts'
import { hasTeamRole } from '../../data/session.ts'
import { useContactFields } from '../../data/use/use-contact-fields.ts'
import { useGroups, useLabels } from '../../data/use/use-list.ts'
import { useRecord } from '../../data/use/use-record.ts'
import { t } from '../../language/words.ts'
import { Dialog } from '../../parts/dialog/dialog.tsx'
import { Button, ButtonLink } from '../../parts/form/form.tsx'
import { LabelChips } from '../../parts/labels/label-chip.tsx'
import { LabelMenu } from '../../parts/labels/label-chooser.tsx'
import { LinkedContacts } from '../../parts/linked-contacts.tsx'
import { Missing } from '../../parts/list/missing.tsx'
import { Card, Facts, Page as Frame } from '../../parts/page.tsx'
import { PhoneNumber } from '../../parts/phone-number.tsx'
import { ContactForm } from '../../parts/rows/contact-form.tsx'
import { Badge } from '../../parts/time.tsx'
import { makeConversationPath, makePageHref, type PageProps } from '../../router.ts'
import { ConsentCard } from './consent-card.tsx'

export function Page({ params: { id = '' } }: PageProps) {
  const read = useRecord<Contact>('contacts', id)
  const groups = useGroups()
  const fields = useContactFields()
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
        all={[makePageHref('/contacts'), t('All contacts')]}
      />
    )
  const { name, phone } = contact
  return (
    <Frame
      title={nameContact(contact)}
      back={{ href: makePageHref('/contacts'), words: t('Contacts') }}
      text={name && <PhoneNumber number={phone} />}
      actions={
        <>
          <ButtonLink icon="conversations" href={makePageHref(makeConversationPath(phone))}>
            {t('Conversation')}
          </ButtonLink>
          <Button icon="edit" needs="agent" onClick={() => setChanging(true)}>
            {t('Change')}
          </Button>
          <ButtonLink icon="person" needs="admin" href={makePageHref(makePersonPath(phone))}>
            {t('Personal data')}
          </ButtonLink>
        </>
      }
    >
      <div class="columns">
        <Card title={t('Contact')}>
          <Facts
            facts={[
              ...describeFields(contact, fields.items),
              [t('Groups'), contact.groups.map(groups.findName).join(', ') || '–'],
              [t('Labels'), <Labels key="labels" contact={contact} />],
              [
                t('State'),
                contact.opted_out ? (
                  <Badge tone="warn">{t('Opted out')}</Badge>
                ) : (
                  t('Not opted out')
                ),
              ],
            ]}
          />
          <LinkedContacts contact={contact} />
        </Card>
        <ConsentCard contact={contact} groups={groups.items} />
      </div>
      {isChanging && (
        <Dialog title={t('Change a contact')} onClose={close}>
          <ContactForm
            contact={contact}
            groups={groups.items}
            fields={fields.items}
            onClose={close}
          />
        </Dialog>
      )}
    </Frame>
  )
}

/** The labels of a contact, which the conversation with the number has, too. */
function Labels({ contact }: { contact: Contact }) {
  const labels = useLabels().items
  const shown = applyChanges(contact)
  return (
    <div class="row">
      <LabelChips ids={shown.labels} labels={labels} />
      {hasTeamRole('agent') && <LabelMenu records={[shown]} labels={labels} iconOnly />}
    </div>
  )
}
