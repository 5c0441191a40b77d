import { useEffect, useMemo, useState } from 'preact/hooks'
import { lastList } from '../../data/message-list.ts'
import { defaultCountry } from '../../data/phone/default-country.ts'
import { findOtherNumber, type Message } from '../../data/record-types.ts'
import { useNamed } from '../../data/search/use-named.ts'
import { isUser } from '../../data/session.ts'
import { useNames } from '../../data/use/use-known.ts'
import { useSims } from '../../data/use/use-sims.ts'
import { t, tn } from '../../language/words.ts'
import { Button, ButtonLink, FaultNotice, Notice } from '../../parts/form/form.tsx'
import { Empty } from '../../parts/list/empty.tsx'
import { Pager } from '../../parts/list/records.tsx'
import { Table } from '../../parts/list/table.tsx'
import { useDrawn } from '../../parts/list/use-drawn.ts'
import { Page as Frame, Loading } from '../../parts/page.tsx'
import { goToPage, makePageHref, type PageProps } from '../../router.ts'
import { makeMessageColumns } from './columns.tsx'
import { ExportDialog } from './export-dialog.tsx'
import { FoundActions } from './found-actions.tsx'
import { makeQuery, type Question, readQuestion, writeWholeFilter } from './question.ts'
import { Toolbar } from './toolbar.tsx'
import { type Messages, useMessages } from './use-messages.ts'

export function Page({ query }: PageProps) {
  const question = readQuestion(query)
  const named = useNamed(question.words)
  // until contacts with these words are found, `named` is undefined or still the result for older words
  const filter =
    named &&
    writeWholeFilter({ ...question, words: named.words }, defaultCountry.value, named.contacts)
  const found = useMessages(filter, question.sort, question.page)
  const isSearching = named?.words !== question.words.trim()
  const messages = isSearching ? { ...found, isOld: !found.loading } : found
  useEffect(() => {
    lastList.value = makeQuery(question)
  }, [query])
  const [isExporting, setExporting] = useState(false)
  const change = (part: Partial<Question>, isTyping = false) =>
    goToPage('/messages', makeQuery({ ...question, page: 1, ...part }), isTyping)
  const isSuperuser = !isUser()
  const isEmpty =
    filter === '' && messages.items.length === 0 && !messages.loading && !messages.isOld
  const actions = (
    <>
      {filter !== undefined && messages.items.length > 0 && (
        <FoundActions question={question} filter={filter} onDone={messages.showFresh} />
      )}
      {!isEmpty && (
        <Button icon="download" onClick={() => setExporting(true)}>
          {t('Export')}
        </Button>
      )}
      {!isSuperuser && (
        <ButtonLink kind="primary" icon="send" needs="agent" href={makePageHref('/send')}>
          {t('Send')}
        </ButtonLink>
      )}
    </>
  )
  const { total, isOld, fault } = messages
  const count = (
    <span role="status">
      {!isEmpty && !fault && !isOld && total !== undefined && describeCount(total)}
    </span>
  )
  return (
    <Frame title={t('Messages')} text={count} actions={actions}>
      {isEmpty && !messages.fault ? (
        <NoMessages isSuperuser={isSuperuser} />
      ) : (
        <>
          <Toolbar
            question={question}
            onChange={change}
            refusal={findRefusal(messages, question)}
          />
          {named?.isCut && (
            <Notice kind="warning">
              {t(
                'More than {count} contacts have words of “{words}” in their name: type more of it.',
                {
                  count: named.contacts.length,
                  words: named.words,
                },
              )}
            </Notice>
          )}
          <Found question={question} messages={messages} onChange={change} />
        </>
      )}
      {isExporting && filter !== undefined && (
        <ExportDialog
          filter={filter}
          total={messages.total ?? messages.items.length}
          onClose={() => setExporting(false)}
        />
      )}
    </Frame>
  )
}

/** The error shown below the filter if the server answered 400; undefined for other errors. */
const findRefusal = ({ fault }: Messages, { filter }: Question) =>
  fault?.status === 400 && filter !== ''
    ? t('The server does not understand this filter.')
    : undefined

function Found({
  question,
  messages: whole,
  onChange,
}: {
  question: Question
  messages: Messages
  onChange: (part: Partial<Question>) => void
}) {
  const messages = useDrawn(whole)
  const { items, fault, fresh, isOld, loading } = messages
  // a superuser has no contacts
  const findName = useNames(isUser() ? items.map(findOtherNumber) : [])
  const findSim = useSims(items)
  const isSuperuser = !isUser()
  const columns = useMemo(
    () => makeMessageColumns({ findName, findSim }, isSuperuser),
    [findName, findSim, isSuperuser],
  )
  if (loading) return <Loading />
  const isRefused = findRefusal(messages, question) !== undefined
  const turn = (page: number) => {
    onChange({ page })
    document.getElementById('page')?.scrollIntoView()
  }
  const showNew = () => {
    if (messages.page > 1) return turn(1)
    messages.showFresh()
    document.getElementById('page')?.scrollIntoView()
  }
  return (
    <>
      {!isRefused && <FaultNotice fault={fault} />}
      {items.length > 0 && !isRefused && (
        <div class="messages-table">
          <div class="messages-fresh" role="status">
            {fresh > 0 && (
              <Button icon="again" onClick={showNew}>
                {tn('1 new', '{count} new', fresh)}
              </Button>
            )}
          </div>
          <Table
            caption={t('Messages')}
            columns={columns}
            rows={items}
            href={makeHref}
            sort={question.sort}
            onSort={(sort) => onChange({ sort })}
            busy={isOld}
          />
        </div>
      )}
      {items.length === 0 && !fault && (isOld ? <Loading /> : <NothingFound />)}
      {!isRefused && <Pager {...messages} goTo={turn} />}
    </>
  )
}

// one function, so that rows which have not changed are not compared again
const makeHref = ({ id }: Message) => makePageHref(`/messages/${id}`)

const describeCount = (total: number) => tn('1 message', '{count} messages', total)

const NoMessages = ({ isSuperuser }: { isSuperuser: boolean }) => (
  <Empty
    icon="messages"
    title={t('No messages yet')}
    action={
      !isSuperuser && (
        <ButtonLink kind="primary" icon="send" needs="agent" href={makePageHref('/send')}>
          {t('Send the first text')}
        </ButtonLink>
      )
    }
  >
    {t('What is sent and what comes in is listed here, as it happens.')}
  </Empty>
)

const NothingFound = () => (
  <Empty
    icon="search"
    title={t('Nothing found')}
    action={<ButtonLink href={makePageHref('/messages')}>{t('Show all messages')}</ButtonLink>}
  >
    {t('No message fits what you look for. It shows here as soon as there is one.')}
  </Empty>
)
