import { makePersonPath } from '../../data/personal-data.ts'
import { t, tx } from '../../language/words.ts'
import { ExportData } from '../../parts/export-data.tsx'
import { FindPerson } from '../../parts/form/find-person.tsx'
import { Card, Page as Frame } from '../../parts/page.tsx'
import { PersonRequests } from '../../parts/person-requests.tsx'
import { makePageHref } from '../../router.ts'

/** Finds a person whose data is shown, exported or erased; exports the account; lists earlier requests. */
export const Page = () => (
  <Frame
    title={t('Personal data')}
    text={tx(
      'See, hand out and erase what this account stores about one person. {help} explains what the law requires.',
      {
        help: <a href={makePageHref('/help/personal-data')}>{t('The help')}</a>,
      },
    )}
  >
    <Card title={t('Find a person')}>
      <FindPerson makePath={makePersonPath} action={t('Show the data')} />
    </Card>
    <ExportData />
    <PersonRequests
      none={t('Exports and erasures are listed here: who asked for them, when, and why.')}
    />
  </Frame>
)
