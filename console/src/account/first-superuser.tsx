import { ClientResponseError } from 'pocketbase'
import { useState } from 'preact/hooks'
import { pb } from '../data/client.ts'
import { useSetup } from '../data/setup.ts'
import { t } from '../language/words.ts'
import { Reading } from '../parts/page.tsx'
import { RowsForm } from '../parts/rows/rows-form.tsx'
import { goToPage, type PageProps } from '../router.ts'
import { BrokenLink } from './broken-link.tsx'
import { PageFrame } from './page-frame.tsx'
import { EMAIL_ROW, makeNewPasswordRows } from './password-fields.ts'

const ROWS = [EMAIL_ROW, ...makeNewPasswordRows(t('Password'))]

/** Creates the first superuser. Until one exists, the server prints a link to this page at each start. */
export function Page({ params }: PageProps) {
  const [isUsedUp, setUsedUp] = useState(false)
  const { value: setup, fault, reload } = useSetup()
  const create = async (_: unknown, account: Readonly<Record<string, unknown>>) => {
    const headers = { authorization: params.token ?? '' }
    const superusers = pb.collection('_superusers')
    await superusers.create(account, { headers }).catch(async (error) => {
      if (error instanceof ClientResponseError && [401, 403].includes(error.status)) {
        await reload()
        setUsedUp(true)
      }
      throw error
    })
    // an answer may arrive while somebody else is signed in
    pb.authStore.clear()
    await superusers.authWithPassword(String(account.email), String(account.password))
    goToPage('/users', {}, true)
    return ''
  }
  if (setup?.has_superuser)
    return (
      <BrokenLink
        text={t('This server has a superuser already. Choose “Superuser” when you sign in.')}
      />
    )
  if (isUsedUp)
    return (
      <BrokenLink
        text={t('It is used up or older than 30 minutes. Start the server again for a new one.')}
      />
    )
  if (!setup) return <Reading value={setup} fault={fault} />
  return (
    <PageFrame
      title={t('Create the first superuser')}
      text={t('This account may see and change everything on this server.')}
    >
      <RowsForm
        draftKey="first-superuser"
        rows={ROWS}
        stored={{}}
        save={create}
        action={t('Create the account')}
      />
    </PageFrame>
  )
}
