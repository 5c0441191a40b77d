import { useState } from 'preact/hooks'
import { formatPhone } from '#portable/phone/format-phone.ts'
import { linkContacts, unlinkContact, writePersonFilter } from '../data/link-contacts.ts'
import { nameContact } from '../data/name-contact.ts'
import { defaultCountry } from '../data/phone/default-country.ts'
import type { Contact } from '../data/record-types.ts'
import { writeContactFilter } from '../data/search/filters.ts'
import { hasTeamRole } from '../data/session.ts'
import { useList } from '../data/use/use-list.ts'
import { useTask } from '../data/use/use-task.ts'
import { t } from '../language/words.ts'
import { makeConversationPath, makePageHref } from '../router.ts'
import { Dialog } from './dialog/dialog.tsx'
import { Actions, Button, FaultNotice } from './form/form.tsx'
import { SearchField } from './list/search-field.tsx'
import { PhoneNumber } from './phone-number.tsx'
import { Badge } from './time.tsx'
import { runWithToast } from './toast.tsx'
import './linked-contacts.css'

/** The other numbers of a contact's person, with ways to link and unlink them. */
export function LinkedContacts({
  contact,
  isBesideTexts = false,
}: {
  contact: Contact
  /** Whether links lead to the conversations of the numbers instead of their contacts. */
  isBesideTexts?: boolean
}) {
  const [isLinking, setLinking] = useState(false)
  const linked = useList<Contact>('contacts', {
    filter: `${writePersonFilter(contact.person)} && id != "${contact.id}"`,
    sort: 'phone',
    ready: contact.person !== '',
  })
  const others = contact.person === '' ? [] : linked.items
  if (others.length === 0 && !hasTeamRole('agent')) return null
  return (
    <section class="linked-contacts" aria-label={t('Other numbers of this person')}>
      {others.length > 0 && <h2>{t('Other numbers of this person')}</h2>}
      {others.length > 0 && (
        <ul>
          {others.map((other) => (
            <li key={other.id} class="row">
              <a
                href={makePageHref(
                  isBesideTexts ? makeConversationPath(other.phone) : `/contacts/${other.id}`,
                )}
              >
                {other.name !== contact.name && other.name} <PhoneNumber number={other.phone} />
              </a>
              {other.opted_out && <Badge tone="warn">{t('Opted out')}</Badge>}
              <Button
                kind="quiet"
                needs="agent"
                aria-label={t('Unlink {contact}', { contact: formatPhone(other.phone) })}
                onClick={() => void runWithToast(() => unlinkContact(other), t('Number unlinked'))}
              >
                {t('Unlink')}
              </Button>
            </li>
          ))}
        </ul>
      )}
      <div>
        <Button kind="quiet" icon="plus" needs="agent" onClick={() => setLinking(true)}>
          {t('Link another number')}
        </Button>
      </div>
      {isLinking && <LinkDialog contact={contact} onClose={() => setLinking(false)} />}
    </section>
  )
}

const SHOWN = 8

/** Finds the contact of another number of the person. Without words, it shows those with the same name. */
function LinkDialog({ contact, onClose }: { contact: Contact; onClose: () => void }) {
  const [text, setText] = useState('')
  const words = text.trim() || contact.name.trim()
  const others = [`id != "${contact.id}"`]
  if (contact.person) others.push(`person != "${contact.person}"`)
  const found = useList<Contact>('contacts', {
    filter: [`(${writeContactFilter(words, defaultCountry.value)})`, ...others].join(' && '),
    sort: 'name',
    perPage: SHOWN,
    live: false,
    ready: words !== '',
  })
  const link = useTask(async (other: Contact) => {
    await linkContacts(contact, other)
    onClose()
  })
  const shown = words === '' ? [] : found.items.slice(0, SHOWN)
  return (
    <Dialog
      title={t('Link another number of {contact}', { contact: nameContact(contact) })}
      onClose={onClose}
    >
      <p>
        {t(
          'Choose the contact of the other number. Each number keeps its texts, groups and consent.',
        )}
      </p>
      <SearchField label={t('Name or number')} value={text} onValue={setText} />
      <FaultNotice fault={link.fault ?? found.fault} />
      <ul class="linked-contacts-found" aria-label={t('Contacts')}>
        {shown.map((other) => (
          <li key={other.id}>
            <Button kind="quiet" busy={link.busy} onClick={() => void link.run(other)}>
              <span>
                {other.name} <PhoneNumber number={other.phone} />
              </span>
            </Button>
          </li>
        ))}
      </ul>
      {text.trim() !== '' && !found.loading && shown.length === 0 && (
        <p class="muted">{t('No other contact matches. Add the number as a contact first.')}</p>
      )}
      <Actions>
        <Button onClick={onClose}>{t('Cancel')}</Button>
      </Actions>
    </Dialog>
  )
}
