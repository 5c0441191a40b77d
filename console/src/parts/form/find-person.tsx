import { useRef, useState } from 'preact/hooks'
import { readTypedPhone } from '#portable/phone/read-typed-phone.ts'
import { useOptedOutNumbers } from '../../data/opt-out/opted-out.ts'
import { useCountry } from '../../data/phone/default-country.ts'
import { describePhoneFault } from '../../data/phone/phone-words.ts'
import type { Contact } from '../../data/record-types.ts'
import { writeContactFilter } from '../../data/search/filters.ts'
import { useDebounced } from '../../data/use/use-debounced.ts'
import { useList } from '../../data/use/use-list.ts'
import { t } from '../../language/words.ts'
import { goToPage, makePageHref } from '../../router.ts'
import { moveFocus } from '../list/arrows.ts'
import { PhoneNumber } from '../phone-number.tsx'
import { NumberCountry } from './country-field.tsx'
import { TextField } from './field.tsx'
import { Form, FormActions } from './form.tsx'
import './find-person.css'

const FOUND = 6

/**
 * A form that finds a person by a number or a part of a contact's name, and opens the page `makePath` the
 * number. `only`: a filter of the contacts.
 */
export function FindPerson({
  makePath,
  action,
  only = '',
  autofocus = false,
  onClose,
}: {
  makePath: (number: string) => string
  action: string
  only?: string
  autofocus?: boolean
  /** Closes the dialog of the form. */
  onClose?: () => void
}) {
  const [text, setText] = useState('')
  const list = useRef<HTMLUListElement>(null)
  const [isTried, setTried] = useState(false)
  const [country, setCountry] = useCountry()
  const asked = useDebounced(text.trim())
  const found = useList<Contact>('contacts', {
    filter: asked
      ? [`(${writeContactFilter(asked, country)})`, only].filter(Boolean).join(' && ')
      : '',
    sort: 'name',
    perPage: FOUND,
    live: false,
    ready: asked !== '',
  })
  const { phone, fault } = readTypedPhone(text, country)
  const isOut = useOptedOutNumbers(asked && phone ? [phone] : [])(phone ?? '')
  const faultWords = (words: string, hasContacts: boolean) =>
    hasContacts ? t('{fault}. Or choose a contact below.', { fault: words }) : `${words}.`
  const open = (number: string) => {
    onClose?.()
    goToPage(makePath(number))
  }
  return (
    <Form onSubmit={() => (phone ? open(phone) : setTried(true))}>
      <TextField
        label={t('Number or contact')}
        name="whom"
        value={text}
        onValue={setText}
        autofocus={autofocus}
        autocomplete="off"
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown') list.current?.querySelector('a')?.focus()
        }}
        hint={isOut ? t('This number has opted out: texts to it are not sent.') : undefined}
        error={
          isTried && fault
            ? faultWords(describePhoneFault(fault), found.items.length > 0)
            : undefined
        }
      />
      <NumberCountry value={country} onValue={setCountry} />
      {asked !== '' && (
        <ul ref={list} class="find-person" aria-label={t('Contacts')} onKeyDown={moveFocus}>
          {found.items.map(({ id, name, phone: number }) => (
            <li key={id}>
              <a href={makePageHref(makePath(number))} onClick={onClose}>
                {name} <PhoneNumber number={number} />
              </a>
            </li>
          ))}
        </ul>
      )}
      <FormActions onCancel={onClose}>{action}</FormActions>
    </Form>
  )
}
