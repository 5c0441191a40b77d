import { addLanguageWords } from '#portable/opt-words-by-language.ts'
import { foldWord } from '#portable/read-opt-word.ts'
import { REPLY_WORDS } from '#portable/reply-words.ts'
import { pb } from '../../data/client.ts'
import type { Contact, ContactGroup } from '../../data/record-types.ts'
import { hasTeamRole } from '../../data/session.ts'
import { useList } from '../../data/use/use-list.ts'
import { useRecord } from '../../data/use/use-record.ts'
import { ownSettings } from '../../data/user-settings/own.ts'
import { t, tn } from '../../language/words.ts'
import { ButtonLink } from '../../parts/form/form.tsx'
import { Missing } from '../../parts/list/missing.tsx'
import { Records } from '../../parts/list/records.tsx'
import type { Column } from '../../parts/list/table.tsx'
import { Card, Page as Frame } from '../../parts/page.tsx'
import { PhoneNumber } from '../../parts/phone-number.tsx'
import type { FormRow } from '../../parts/rows/form-row.ts'
import { RecordForm } from '../../parts/rows/record-form.tsx'
import type { Values } from '../../parts/rows/values.ts'
import { SharedLink } from '../../parts/shared-link.tsx'
import { Badge } from '../../parts/time.tsx'
import { makePageHref, type PageProps } from '../../router.ts'

export function Page({ params: { id = '' } }: PageProps) {
  const read = useRecord<ContactGroup>('contact_groups', id)
  const { record: group } = read
  if (!group)
    return (
      <Missing
        read={read}
        icon="groups"
        title={t('Group')}
        gone={t('There is no such group')}
        all={[makePageHref('/groups'), t('All groups')]}
      />
    )
  return (
    <Frame
      title={group.name}
      back={{ href: makePageHref('/groups'), words: t('Groups') }}
      actions={
        <>
          <ButtonLink icon="contacts" href={makePageHref('/contacts', { group: id })}>
            {t('Change members')}
          </ButtonLink>
          <ButtonLink icon="send" href={makePageHref('/send', { group: id })} needs="agent">
            {t('Send')}
          </ButtonLink>
        </>
      }
    >
      <Members group={id} />
      <div class="columns">
        <Card title={t('Joining and consent')}>
          {hasTeamRole('agent') ? (
            <RecordForm
              collection="contact_groups"
              record={group}
              rows={ROWS}
              saved={t('Saved')}
              asks
            />
          ) : (
            <p>{group.join_words || t('Nobody joins by a text.')}</p>
          )}
        </Card>
        {group.join_page && <JoinPage id={id} />}
      </div>
    </Frame>
  )
}

function Members({ group }: { group: string }) {
  const filter = pb.filter('groups.id ?= {:group}', { group })
  const list = useList<Contact>('contacts', { filter, sort: 'name,phone', perPage: 10 })
  return (
    <section class="stack">
      <h2>{list.loading ? t('Members') : tn('1 member', '{count} members', list.total)}</h2>
      <Records
        list={list}
        caption={t('Members')}
        isFollowed
        columns={MEMBERS}
        href={({ id }) => makePageHref(`/contacts/${id}`)}
        empty={<p class="muted">{t('Nobody is in this group yet.')}</p>}
      />
    </section>
  )
}

const MEMBERS: readonly Column<Contact>[] = [
  { title: t('Name'), cell: ({ name, phone }) => name || <PhoneNumber number={phone} /> },
  {
    title: t('Number'),
    spare: ({ name }) => !name,
    cell: ({ phone }) => <PhoneNumber number={phone} />,
  },
  {
    title: t('State'),
    spare: ({ opted_out }) => !opted_out,
    cell: ({ opted_out }) => opted_out && <Badge tone="warn">{t('Opted out')}</Badge>,
  },
]

const hasPage = ({ join_page }: Values) => join_page === true
const asksForConsent = (values: Values) => values.join_words !== '' || hasPage(values)

/** Words that opt out, opt in, confirm or ask for help, before a word joins. */
function listMeantWords(): readonly string[] {
  const english = { out: [REPLY_WORDS.en.stop], in: [REPLY_WORDS.en.start] }
  const opting = addLanguageWords(english, ownSettings.value?.opt_out_languages ?? [])
  const others = Object.values(REPLY_WORDS).flatMap(({ yes, help }) => [...yes, ...help])
  return [...opting.out, ...opting.in, ...others].map(foldWord)
}

const ROWS: readonly FormRow[] = [
  {
    name: 'join_words',
    label: t('Words that join'),
    placeholder: t('JOIN, NEWS'),
    hint: t('Separate words by commas. A person who texts one of them joins the group.'),
    error: (typed) => {
      const meant = listMeantWords()
      const word = String(typed)
        .split(',')
        .map(foldWord)
        .find((word) => meant.includes(word))
      return word && t('{word} has a meaning of its own and never joins: choose another.', { word })
    },
  },
  {
    name: 'join_confirm',
    label: t('Ask the person to confirm: “Reply YES”'),
    shown: ({ join_words }) => join_words !== '',
  },
  { name: 'join_page', label: t('Public page to join, with a link and a QR code') },
  {
    name: 'page_text',
    label: t('Text of the page'),
    kind: 'area',
    rows: 3,
    shown: hasPage,
    hint: t('Say who you are and what you send. Addresses become links.'),
  },
  {
    name: 'page_consent',
    label: t('Sentence beside the box'),
    kind: 'area',
    rows: 2,
    shown: hasPage,
    hint: t('Empty: the page shows its usual sentence. {account} and {group} stand for the names.'),
  },
  {
    name: 'page_confirm',
    label: t('The person confirms'),
    kind: 'select',
    shown: hasPage,
    read: (value: unknown) => String(value || 'reply'),
    choices: [
      ['reply', t('by the reply YES')],
      ['code', t('by a code from a text')],
    ],
  },
  {
    name: 'join_text',
    label: t('Question “Reply YES”'),
    kind: 'area',
    rows: 2,
    shown: asksForConsent,
    hint: t(
      'Empty: the server asks in the language of the account, and a page in that of its visitor if it is one of the account’s. {account} and {group} stand for the names.',
    ),
  },
  { name: 'requires_consent', label: t('Send only to people with proof of consent') },
  {
    name: 'keep_days',
    label: t('Delete texts from and to members after (days)'),
    placeholder: t('As the account is set'),
  },
]

function JoinPage({ id }: { id: string }) {
  const link = new URL(`/join/${id}`, location.href).href
  return (
    <Card title={t('Public page')}>
      <SharedLink link={link} label={t('QR code of the public page')} />
      <a class="button" href={link} target="_blank" rel="noreferrer">
        {t('Open the page')}
      </a>
    </Card>
  )
}
