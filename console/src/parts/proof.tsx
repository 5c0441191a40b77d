import { formatPhone } from '#portable/phone/format-phone.ts'
import type { CampaignProof, WithoutConsent } from '../data/campaign-progress.ts'
import { t, tn, tx } from '../language/words.ts'
import { makePageHref } from '../router.ts'
import { More } from './form/more.tsx'
import { Card, Facts } from './page.tsx'
import { formatDay } from './time.tsx'

const describeWithoutProof = (people: number) =>
  tn(
    '1 without proof of consent, who gets nothing',
    '{count} without proof of consent, who get nothing',
    people,
  )

export const WithoutProof = ({ people }: { people: number }) =>
  people > 0 ? <span>{describeWithoutProof(people)}</span> : null

/** Says how to prove consent, where a send has no recipient with proof. */
export const HowToProve = () => (
  <span>
    {tx(
      'Record a consent on the page of a contact or with an import, or let people join a group. {more}',
      {
        more: <a href={makePageHref('/help/contacts-and-groups')}>{t('About consent')}</a>,
      },
    )}
  </span>
)

/** How many people are left out for missing consent; opened, their numbers. */
export const LeftOut = ({ count, recipients }: WithoutConsent) =>
  count > 0 ? (
    <More summary={describeWithoutProof(count)} isWrong={false}>
      <p>
        {[...recipients.map(formatPhone), ...(count > recipients.length ? ['…'] : [])].join(', ')}
      </p>
    </More>
  ) : null

/** Since when, by which texts, and by how many people consent to a campaign was given. */
export const ProofCard = ({ proof }: { proof: CampaignProof }) => (
  <Card title={t('Proof of consent')}>
    <p>
      {proof.given > 0
        ? tn(
            '1 person agreed, since {since}.',
            '{count} people agreed, the first on {since}.',
            proof.given,
            {
              since: formatDay(proof.since),
            },
          )
        : t('Nobody has agreed yet.')}
    </p>
    <Facts
      facts={proof.texts.map(({ version, shown, people }) => [
        version ? t('Version {version}', { version }) : t('By a text of the person'),
        <>
          {tn('1 person', '{count} people', people)}
          {shown && <p class="as-written">{shown}</p>}
        </>,
      ])}
    />
    {proof.withdrawn > 0 && (
      <p>
        {tn(
          '1 text failed: no consent any more.',
          '{count} texts failed: no consent any more.',
          proof.withdrawn,
        )}
      </p>
    )}
    <LeftOut {...proof.without_consent} />
  </Card>
)
