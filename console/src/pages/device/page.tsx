import { Empty } from '../../parts/empty.tsx'
import { Page as Frame } from '../../parts/page.tsx'

/** Device. */
export const Page = () => (
  <Frame title="Device">
    <Empty icon="devices" title="No such device">
      It may have been deleted.
    </Empty>
  </Frame>
)
