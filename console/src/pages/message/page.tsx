import { Empty } from '../../parts/empty.tsx'
import { Page as Frame } from '../../parts/page.tsx'

/** Message. */
export const Page = () => (
  <Frame title="Message">
    <Empty icon="messages" title="No such message">
      It may have been deleted.
    </Empty>
  </Frame>
)
