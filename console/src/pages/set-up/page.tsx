import { session } from '../../data/session.ts'
import { t } from '../../language/words.ts'
import { LinkRows } from '../../parts/link-rows.tsx'
import { Card, Page as Frame } from '../../parts/page.tsx'
import { makePageHref } from '../../router.ts'
import { listOwnPages } from '../../shell/own-pages.ts'
import './page.css'

/** The pages to set up, each with what it is for. */
const PARTS: readonly (readonly [title: string, rows: Readonly<Record<string, string>>])[] = [
  [
    t('Texts'),
    {
      '/devices': t('The phones and modems that send and receive, with their lines and SIM cards.'),
      '/templates': t('Texts that you use again, also as saved answers in a conversation.'),
      '/answers': t('What the server answers by itself: in the evening, on holidays, to a word.'),
    },
  ],
  [
    t('Your account'),
    {
      '/team': t('Who answers with you, invitations, and what each person changed.'),
      '/usage': t('How many texts were sent and received, and what they cost.'),
      '/account': t('Sign-in, language, notifications, quiet hours, undo and opt-out words.'),
    },
  ],
  [
    t('Programs'),
    {
      '/keys': t('With a key a program sends and reads texts.'),
      '/verify': t('Codes that your own site or app sends and checks.'),
      '/hooks': t('Addresses that turn the calls of other programs into texts.'),
      '/webhooks': t('Which programs hear of new and delivered texts.'),
    },
  ],
]

/** Pages that one sets up once: a row for each that the person has. */
export function Page() {
  const own = listOwnPages(session.value!)
  return (
    <Frame title={t('Set up')}>
      <div class="set-up">
        {PARTS.map(([title, sentences]) => {
          const pages = own.filter(({ path }) => path in sentences)
          return (
            pages.length > 0 && (
              <Card key={title} title={title}>
                <LinkRows
                  rows={pages.map(({ path, icon, title: words }) => ({
                    href: makePageHref(path),
                    lead: icon,
                    title: words,
                    text: sentences[path],
                  }))}
                />
              </Card>
            )
          )
        })}
      </div>
    </Frame>
  )
}
