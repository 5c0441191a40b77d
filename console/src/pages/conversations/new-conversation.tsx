import { useRef, useState } from 'preact/hooks'
import { readTyped } from '#portable/phone/typed.ts'
import { contactFilter } from '../../data/phone/contact-filter.ts'
import { useCountry } from '../../data/phone/country.ts'
import { phoneFaultWords } from '../../data/phone/phone-words.ts'
import type { Contact } from '../../data/records.ts'
import { useLater } from '../../data/use/use-later.ts'
import { useList } from '../../data/use/use-list.ts'
import { t } from '../../language/words.ts'
import { Dialog } from '../../parts/dialog/dialog.tsx'
import { NumberCountry } from '../../parts/form/country-field.tsx'
import { TextField } from '../../parts/form/field.tsx'
import { Actions, Button, Form } from '../../parts/form/form.tsx'
import { moveFocus } from '../../parts/list/arrows.ts'
import { PhoneNumber } from '../../parts/phone-number.tsx'
import { go, to } from '../../router.ts'
import './new-conversation.css'

const FOUND = 6

export function NewConversation({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('')
  const list = useRef<HTMLUListElement>(null)
  const [isTried, setTried] = useState(false)
  const [country, setCountry] = useCountry()
  const asked = useLater(text.trim())
  const found = useList<Contact>('contacts', {
    filter: asked ? `(${contactFilter(asked, country)}) && opted_out = false` : '',
    sort: 'name',
    perPage: FOUND,
    live: false,
    ready: asked !== '',
  })
  const { phone, fault } = readTyped(text, country)
  const faultWords = (words: string, hasContacts: boolean) =>
    hasContacts ? t('{fault}. Or choose a contact below.', { fault: words }) : `${words}.`
  const open = (number: string) => {
    onClose()
    go(`/conversations/${encodeURIComponent(number)}`)
  }
  return (
    <Dialog title={t('New conversation')} onClose={onClose}>
      <Form onSubmit={() => (phone ? open(phone) : setTried(true))}>
        <TextField
          label={t('Number or contact')}
          name="whom"
          value={text}
          onValue={setText}
          autofocus
          autocomplete="off"
          onKeyDown={(event) => {
            if (event.key === 'ArrowDown') list.current?.querySelector('a')?.focus()
          }}
          error={isTried && fault ? faultWords(phoneFaultWords(fault), found.items.length > 0) : undefined}
        />
        <NumberCountry value={country} onValue={setCountry} />
        {asked !== '' && (
          <ul ref={list} class="conversations-found" aria-label={t('Contacts')} onKeyDown={moveFocus}>
            {found.items.map(({ id, name, phone: number }) => (
              <li key={id}>
                <a href={to(`/conversations/${encodeURIComponent(number)}`)} onClick={onClose}>
                  {name} <PhoneNumber number={number} />
                </a>
              </li>
            ))}
          </ul>
        )}
        <Actions>
          <Button type="submit" kind="primary">
            {t('Write')}
          </Button>
          <Button onClick={onClose}>{t('Cancel')}</Button>
        </Actions>
      </Form>
    </Dialog>
  )
}
