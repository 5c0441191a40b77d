import { t } from '../language/words.ts'
import { CodeBlock } from '../parts/code.tsx'
import type { FormRow } from '../parts/rows/form-row.ts'
import { RowsForm } from '../parts/rows/rows-form.tsx'
import { goToPage, makePageHref } from '../router.ts'
import { PageFrame } from './page-frame.tsx'

/** Matches a JWT, either alone or at the end of a pasted link. */
const TOKEN = /(?:^|pbinstall\/)([\w-]+\.[\w-]+\.[\w-]+)\s*$/

const ROWS: readonly FormRow[] = [
  {
    name: 'link',
    label: t('The link that the server printed'),
    autocomplete: 'off',
    placeholder: 'http://…/_/#/pbinstall/…',
    error: (link) =>
      findToken(link)
        ? undefined
        : t('This is not the link. It ends with three parts that have dots between them.'),
  },
]

const findToken = (link: unknown) => TOKEN.exec(String(link).trim())?.[1]

const openInstallLink = async (_: unknown, { link }: { link?: unknown }) => {
  goToPage(`/pbinstall/${findToken(link)}`)
  return ''
}

export function Page() {
  return (
    <PageFrame
      title={t('Create the first superuser')}
      text={t(
        'Only the person who runs the server can do this. At its start the server prints a link that is good for 30 minutes; its log has it.',
      )}
    >
      <RowsForm
        draftKey="make-superuser"
        rows={ROWS}
        stored={{}}
        save={openInstallLink}
        action={t('Continue')}
      />
      <p>
        {t(
          'Or run this on the server, with an address and a password of yours. With the embedded database, stop the server first.',
        )}
      </p>
      <CodeBlock code="npx pocketsms superuser upsert you@example.com a-long-password" />
      <a class="aside" href={makePageHref('/')}>
        {t('Back to the sign-in')}
      </a>
    </PageFrame>
  )
}
