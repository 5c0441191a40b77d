import { GET, POST, qs, REQ, recs } from '../dsl.mjs'

const S = 'sms_messages'
export function define(book, fx) {
  const msgs = fx.sms_messages
  const mine = msgs.filter((m) => m.user === 'usralice0000001')
  const bobs = msgs.filter((m) => m.user === 'usrbob000000002')
  // ------------------------------------------------------------ list
  {
    const A = book.area('sms_list')
    const L = (p, why, o) => A.list('alice', S, p, why, o)
    L({ page: 1, perPage: 3, sort: 'id' }, 'first page, all fields')
    L({ page: 2, perPage: 3, sort: 'id' }, 'second page')
    L({ perPage: 5, sort: '-created,id' }, 'newest first, as a client lists its inbox')
    L({}, 'no parameters at all: default page size', { tags: ['artefact'] })
    L({ sort: 'id', fields: 'id' }, 'default perPage is 30')
    L({ sort: 'id', fields: 'id', page: 3 }, 'default perPage, third page is short')
    L({ sort: 'id', fields: 'id', page: 4 }, 'page after the last one is empty')
    L({ sort: 'id', fields: 'id', page: 999999 }, 'far page')
    L({ sort: 'id', fields: 'id', perPage: 1 }, 'one per page')
    L({ sort: 'id', fields: 'id', perPage: 74 }, 'exactly all')
    L({ sort: 'id', fields: 'id', perPage: 73 }, 'all but one: two pages')
    L({ sort: 'id', fields: 'id', perPage: 1000 }, 'the largest perPage')
    L({ sort: 'id', fields: 'id', perPage: 1001 }, 'perPage clamps to 1000')
    L({ sort: 'id', fields: 'id', perPage: 999999999 }, 'huge perPage clamps')
    L({ sort: 'id', fields: 'id', perPage: 0 }, 'perPage 0 means the default')
    L({ sort: 'id', fields: 'id', perPage: -5 }, 'negative perPage means the default')
    L({ sort: 'id', fields: 'id', page: 0, perPage: 2 }, 'page 0 is page 1')
    L({ sort: 'id', fields: 'id', page: -3, perPage: 2 }, 'negative page is page 1')
    for (const v of [
      'abc',
      '1.5',
      '1e2',
      '0x10',
      ' 2',
      '+2',
      '2 ',
      '١',
      '99999999999999999999',
      'null',
      'true',
      '1,2',
    ])
      L({ sort: 'id', fields: 'id', perPage: 2, page: v }, `page=${v}`)
    for (const v of ['abc', '2.0', '1e1', '+3', ' 3', '', '99999999999999999999', '-99999999999'])
      L({ sort: 'id', fields: 'id', perPage: v }, `perPage=${v || '(empty)'}`)
    L({ sort: 'id', fields: 'id', page: '', perPage: 2 }, 'empty page parameter is ignored')
    for (const v of [
      '1',
      '0',
      'true',
      'false',
      'TRUE',
      'True',
      't',
      'F',
      'yes',
      'no',
      '2',
      '',
      'tRue',
      ' true',
    ])
      L({ sort: 'id', fields: 'id', perPage: 2, skipTotal: v }, `skipTotal=${v || '(empty)'}`)
    L({ sort: 'id', fields: 'id', perPage: 2, skipTotal: 1, page: 2 }, 'skipTotal on page 2')
    L({ sort: 'id', fields: 'id', skipTotal: 1, filter: 'status="nope"' }, 'skipTotal with no match')
    L('perPage=2&perPage=5&sort=id&fields=id', 'a repeated parameter: the first wins')
    L('page=2&page=1&perPage=2&sort=id&fields=id', 'repeated page')
    L('sort=id&sort=-id&perPage=2&fields=id', 'repeated sort')
    L(
      'filter=status%3D%22sent%22&filter=status%3D%22failed%22&sort=id&fields=id,status&perPage=4',
      'repeated filter',
    )
    L('Page=2&PERPAGE=2&sort=id&fields=id', 'parameter names are case sensitive')
    L('sort=id&fields=id&perPage=2&unknown=1&foo[]=2', 'unknown parameters are ignored')
    L('sort=id&fields=id&perPage=2;page=2', 'a semicolon in the query')
    L('sort=id&fields=id&perPage=%32', 'percent-encoded digit')
    L('sort=id&fields=id&perPage=2&', 'trailing ampersand')
    L('&&sort=id&&fields=id&perPage=2', 'empty pairs')
    L('sort=id&fields=id&perPage=2&filter=body%20~%20%22code+is%22', 'plus is a space in the query')
    L(
      { sort: 'id', fields: 'id', filter: 'created > "2024-05-01 00:00:00.000Z"', perPage: 4, page: 2 },
      'filter with paging: totals of the filtered set',
    )
    L({ sort: '-priority,id', fields: 'id,priority', perPage: 10 }, 'sorted by a number with tie-break')
    A.list('bob', S, { sort: 'id', perPage: 200, fields: 'id,user' }, 'bob sees only his own')
    A.list('carol', S, { sort: 'id', perPage: 200 }, 'carol sees only her own, all fields')
    A.list('dave', S, {}, 'dave has none')
    A.list('super', S, { sort: 'id', perPage: 500, fields: 'id' }, 'the superuser sees all')
    A.list('super', S, { sort: '-created,id', perPage: 2, page: 60 }, 'the superuser, last page')
    A.list(
      'device_a1',
      S,
      { sort: 'id', perPage: 200, fields: 'id,device' },
      'a device sees the messages assigned to it',
    )
    A.list(
      'device_b1',
      S,
      { sort: 'id', perPage: 200, fields: 'id,device,user' },
      'a device also sees those of another owner',
    )
    A.list('member', S, {}, 'an account of another auth collection sees nothing')
    A.list(
      'alice',
      S,
      {
        sort: 'created,id',
        perPage: 4,
        filter: 'status="pending" || status="assigned"',
        fields: 'id,status,to,body,created',
      },
      'a queue poll',
    )
    for (const c of [
      'devices',
      'contact_groups',
      'contacts',
      'sms_templates',
      'api_keys',
      'webhooks',
      'sms_usage',
      'users',
    ]) {
      for (const who of ['alice', 'bob', 'super'])
        A.list(who, c, { sort: 'id', perPage: 4 }, `${c} as ${who}`)
    }
    for (const c of ['devices', 'contacts', 'users', 'webhooks'])
      A.list('guest', c, {}, `${c} as guest: empty, not an error`)
    A.list('device_a1', 'devices', { sort: 'id' }, 'a device sees itself')
    A.list('device_a1', 'contacts', { sort: 'id' }, 'a device sees no contacts')
    A.list('alice', 'demo_view', { sort: 'id' }, 'a view collection')
    A.list(
      'alice',
      'demo_view',
      { sort: 'name', filter: 'rank >= 0', fields: 'id,name,rank' },
      'a view collection, filtered',
    )
    A.list('guest', 'demo_public', { sort: 'n' }, 'a public collection as guest')
    A.list('guest', 'demo_locked', {}, 'locked for guests')
    A.list('alice', 'demo_locked', {}, 'locked for users')
    A.list('super', 'demo_locked', {}, 'locked is open for the superuser')
    A.list('guest', 'demo_types', { sort: 'id' }, 'every field type as stored')
    A.list(
      'guest',
      'demo_types',
      { sort: 'id', fields: 'id,meta,place,num,int_num' },
      'json, geo and numbers',
    )
    A.list('super', 'demo_types', { sort: 'id', perPage: 2 }, 'the superuser also sees hidden fields')
  }
  // ------------------------------------------------------------ sort
  {
    const A = book.area('sms_sort')
    const L = (sort, why, o = {}) =>
      A.list(
        o.as || 'alice',
        o.col || S,
        {
          sort,
          perPage: 12,
          fields:
            o.fields ||
            `id,${sort
              .replace(/[-+ ]/g, '')
              .split(',')
              .filter((x) => /^\w+$/.test(x) && x !== 'id')
              .join(',')}`.replace(/,$/, ''),
          ...(o.p || {}),
        },
        why,
        o.tags ? { tags: o.tags } : undefined,
      )
    for (const f of [
      'created',
      'updated',
      'status',
      'to',
      'from',
      'body',
      'message_type',
      'device',
      'batch_id',
      'segments',
      'priority',
      'sim',
      'scheduled_at',
      'expires_at',
      'sent_at',
      'delivered_at',
      'error_message',
      'user',
    ]) {
      L(`${f},id`, `${f} ascending`)
      L(`-${f},id`, `${f} descending`)
    }
    L('id', 'by id')
    L('-id', 'by id descending')
    L('+id', 'explicit plus')
    L('status,-created,id', 'three keys')
    L('-status,priority,-segments,sim,id', 'five keys')
    L('message_type,status,device,id', 'text keys')
    L(' status , -id ', 'blanks around keys')
    L('status,,id', 'an empty key')
    L(',id', 'leading comma')
    L('id,', 'trailing comma')
    L(',', 'only a comma')
    L('--id', 'double minus')
    L('+-id', 'plus minus')
    L('-+id', 'minus plus')
    L('- id', 'blank after the minus')
    L('id,id', 'the same key twice')
    L('id,-id', 'contradicting keys')
    L('a,b', 'unknown fields')
    L('status,unknown', 'one unknown field')
    L('Status,id', 'field names are case sensitive?')
    L('ID', 'upper-case id')
    L('user.name,id', 'relation path', { fields: 'id' })
    L('device.name,id', 'relation path', { fields: 'id,device' })
    L('-device.name,id', 'relation path descending', { fields: 'id,device' })
    L('device.user.name,id', 'two levels', { fields: 'id' })
    L('device.platform,-device.name,-id', 'two relation keys', { fields: 'id,device' })
    L('device.unknown', 'unknown field behind a relation')
    L('unknown.name', 'unknown relation')
    L('device.push,id', 'hidden field behind a relation')
    L('device.email,id', 'e-mail behind a relation', { fields: 'id' })
    L('device.daily_limit,device.name,id', 'number behind a relation', { fields: 'id,device' })
    L('user.email,id', 'e-mail of the owner', { fields: 'id' })
    L('user.password', 'password cannot be sorted by')
    L('user.tokenKey', 'token key cannot be sorted by')
    L('device.user.sms_messages_via_user.created', 'a back-relation as sort key', {
      tags: ['artefact'],
      fields: 'id',
    })
    L('@random', 'random order', { fields: 'id', p: { perPage: 200 } })
    L('@random,id', 'random then id', { fields: 'id', p: { perPage: 200 } })
    L('@rowid', 'insertion order', { tags: ['artefact'], fields: 'id' })
    L('-@rowid', 'reverse insertion order', { tags: ['artefact'], fields: 'id' })
    L('status,@rowid', 'row id as the tie-break', { tags: ['artefact'] })
    L('rowid', 'plain rowid')
    L('_rowid_', '_rowid_')
    L('@unknown', 'unknown macro')
    L('@now', 'a date macro is no sort key')
    L('null', 'null literal')
    L('true', 'true literal')
    L('1', 'a number')
    L('"id"', 'a quoted key')
    L("'id'", 'a quoted key')
    L('id desc', 'SQL words')
    L('id;drop table', 'injection attempt')
    L('id)', 'parenthesis')
    L('`id`', 'backticks')
    L('[[id]]', 'brackets')
    L('status:lower,id', 'modifier :lower', { fields: 'id,status' })
    L('body:lower,id', 'modifier :lower on text', { fields: 'id,body' })
    L('-body:lower,-id', ':lower descending', { fields: 'id,body' })
    L('status:length', ':length on a single select')
    L('status:unknown', 'unknown modifier')
    L('status:isset', ':isset without @request')
    L('status:each,id', ':each on a single select', { fields: 'id,status' })
    L('segments,priority,sim,status,to,body,created,id', 'eight keys: the most allowed')
    L('segments,priority,sim,status,to,body,created,updated,id', 'nine keys: too many')
    L(`id,${'x'.repeat(260)}`, 'a key that is too long')
    L('x'.repeat(255), 'unknown key at the length limit')
    L('@request.auth.name', '@request is for superusers')
    L('@collection.users.name', '@collection is for superusers')
    L('@request.auth.id,id', 'as superuser: a parameter is no sort key', { as: 'super' })
    L('name,id', 'unicode and case order', { col: 'contacts' })
    L('-name,id', 'unicode and case order, descending', { col: 'contacts' })
    L('opted_out,id', 'bool', { col: 'contacts' })
    L('-opted_out,name,id', 'bool descending', { col: 'contacts' })
    L('data.city,id', 'a json path', { col: 'contacts', fields: 'id,data' })
    L('-data.age,id', 'a json number path, descending', { col: 'contacts', fields: 'id,data' })
    L('data.nested.deep.v,id', 'a deep json path', { col: 'contacts', fields: 'id,data' })
    L('groups,id', 'a multiple relation as such', { col: 'contacts', tags: ['artefact'] })
    L('groups.name,id', 'through a multiple relation', { col: 'contacts', fields: 'id', tags: ['artefact'] })
    L('groups:length,id', 'number of related records', { col: 'contacts' })
    L('-groups:length,name,id', 'number of related records, descending', {
      col: 'contacts',
      fields: 'id,groups',
    })
    L('num,id', 'decimal numbers', { col: 'demo_types' })
    L('-int_num,id', 'big integers', { col: 'demo_types' })
    L('flag,-num,id', 'bool and number', { col: 'demo_types' })
    L('day,id', 'date with empties', { col: 'demo_types' })
    L('kind,id', 'select', { col: 'demo_types' })
    L('tags:length,id', 'length of a multiple select', { col: 'demo_types', fields: 'id,tags' })
    L('place.lon,id', 'geo longitude', { col: 'demo_types', fields: 'id,place' })
    L('-place.lat,id', 'geo latitude', { col: 'demo_types', fields: 'id,place' })
    L('secret,id', 'hidden field as guest', { col: 'demo_types', as: 'guest' })
    L('secret,id', 'hidden field as superuser', { col: 'demo_types', as: 'super', fields: 'id,secret' })
    L('rel_one.name,id', 'relation name', { col: 'demo_types', fields: 'id,rel_one' })
    L('mail,id', 'e-mail field', { col: 'demo_types' })
    L('title,id', 'text', { col: 'demo_types' })
    L('html,id', 'editor', { col: 'demo_types', fields: 'id' })
    L('period,id', 'usage periods', { col: 'sms_usage' })
    L('-used,period,id', 'numbers', { col: 'sms_usage' })
    L('url,id', 'urls', { col: 'webhooks' })
    L('hash,id', 'hidden field of keys', { col: 'api_keys' })
    L('secret', 'hidden field of webhooks', { col: 'webhooks' })
    L('email,id', 'own record', { col: 'users' })
    L('email,id', 'superuser over users', { col: 'users', as: 'super' })
    L('-monthly_quota,id', 'superuser over users', { col: 'users', as: 'super' })
    A.list(
      'super',
      S,
      { sort: 'user.name,-created,id', perPage: 8, fields: 'id,user,created' },
      'across users',
    )
    A.list(
      'super',
      S,
      { sort: '-user.monthly_quota,status,-id', perPage: 8, fields: 'id,user,status' },
      'across users',
    )
    A.list('alice', S, { sort: '', perPage: 200, fields: 'id' }, 'an empty sort')
    A.list('alice', S, { sort: 'status,id', perPage: 5, page: 4, fields: 'id,status' }, 'a middle page')
    A.list(
      'alice',
      S,
      { sort: '-sent_at,id', perPage: 5, filter: 'sent_at != ""', fields: 'id,sent_at' },
      'filter and sort',
    )
  }
  // ------------------------------------------------------------ view
  {
    const A = book.area('sms_view')
    const m0 = mine[0].id
    const d1 = mine.find((m) => m.device === 'devpixel8alice1').id
    const V = (as, id, p, why, o) => A.view(as, S, id, p, why, o)
    for (let i = 0; i < 14; i++) V('alice', mine[i * 5].id, undefined, `message ${i * 5}`)
    V('bob', bobs[0].id, undefined, 'own message')
    V('super', bobs[1].id, undefined, 'superuser')
    V('alice', bobs[0].id, undefined, "another user's message is not found")
    V('bob', m0, undefined, "another user's message is not found")
    V('dave', m0, undefined, 'not found')
    V('device_a1', d1, undefined, 'the device the message is assigned to')
    V('device_b1', d1, undefined, 'another device')
    V('device_b1', msgs[5].id, undefined, "alice's message through bob's device")
    V('member', m0, undefined, 'an account of another auth collection')
    V('alice', 'nonexistent0000', undefined, 'well-formed unknown id')
    V('alice', 'short', undefined, 'short id')
    V('alice', 'x'.repeat(200), undefined, 'long id')
    V('alice', m0.toUpperCase(), undefined, 'id in upper case')
    V('alice', `${m0}%20`, undefined, 'trailing blank')
    V('alice', '%00', undefined, 'NUL byte')
    V('alice', "'%20OR%201=1--", undefined, 'injection attempt')
    V('alice', '%E2%98%83', undefined, 'unicode id')
    V('alice', '..%2F..%2Fhealth', undefined, 'path traversal attempt')
    V('alice', m0, { fields: 'id,status' }, 'with fields')
    V('alice', m0, { fields: '' }, 'empty fields')
    V('alice', m0, { expand: 'user' }, 'with expand')
    V(
      'alice',
      m0,
      { expand: 'user,device', fields: 'id,expand.user.name,expand.device.name' },
      'expand and fields',
    )
    V('alice', m0, { filter: 'status="x"' }, 'filter does not apply to a view')
    V('alice', m0, { filter: '(((' }, 'a broken filter is ignored in a view')
    V('alice', m0, { sort: 'nope', page: 'x' }, 'list parameters are ignored')
    V('alice', `${m0}/`, undefined, 'trailing slash')
    V('alice', `${m0}/x`, undefined, 'deeper path')
    A.view('alice', 'contacts', fx.contacts[0].id, undefined, 'a contact with json data')
    A.view('alice', 'contacts', fx.contacts[3].id, undefined, 'json array')
    A.view('alice', 'contacts', fx.contacts[5].id, undefined, 'json null and empty name')
    A.view('alice', 'contacts', fx.contacts[6].id, undefined, 'json number, backslash')
    A.view('alice', 'contacts', fx.contacts[4].id, undefined, 'json string')
    A.view('alice', 'contacts', fx.contacts[8].id, undefined, 'quotes')
    A.view('bob', 'contacts', fx.contacts[0].id, undefined, 'not his')
    A.view('guest', 'contacts', fx.contacts[0].id, undefined, 'as guest')
    A.view('alice', 'users', 'usralice0000001', undefined, 'own user record')
    A.view('bob', 'users', 'usrbob000000002', undefined, 'own e-mail is visible to oneself')
    A.view('alice', 'users', 'usrbob000000002', undefined, 'another user')
    A.view('super', 'users', 'usrbob000000002', undefined, 'superuser sees the e-mail')
    A.view('guest', 'users', 'usralice0000001', undefined, 'as guest')
    A.view('alice', 'devices', 'devpixel8alice1', undefined, 'own device: push is hidden')
    A.view('super', 'devices', 'devpixel8alice1', undefined, 'superuser sees push')
    A.view('device_a1', 'devices', 'devpixel8alice1', undefined, 'a device itself')
    A.view('device_a1', 'devices', 'devmodemalice02', undefined, 'a device and its sibling')
    A.view('alice', 'devices', 'devgalaxybob001', undefined, "another user's device")
    A.view('bob', 'devices', 'devgalaxybob001', undefined, 'e-mail of a device of one’s own stays hidden')
    A.view('device_b1', 'devices', 'devgalaxybob001', undefined, 'the device sees its own e-mail')
    A.view('alice', 'webhooks', fx.webhooks[0].id, undefined, 'secret is hidden')
    A.view('super', 'webhooks', fx.webhooks[0].id, undefined, 'superuser sees the secret')
    A.view('alice', 'api_keys', fx.api_keys[0].id, undefined, 'hash is hidden')
    A.view('super', 'api_keys', fx.api_keys[1].id, undefined, 'superuser sees the hash')
    A.view('alice', 'sms_usage', fx.sms_usage[0].id, undefined, 'usage')
    A.view('alice', 'sms_templates', fx.sms_templates[4].id, undefined, 'line breaks')
    A.view('super', '_superusers', 'superadmin00001', undefined, 'superuser record')
    A.view('alice', '_superusers', 'superadmin00001', undefined, 'superuser record as a user')
    A.view('guest', 'demo_members', 'memberone000001', undefined, 'e-mail hidden from guests')
    A.view('guest', 'demo_members', 'membertwo000002', undefined, 'e-mail visible when allowed')
    A.view('alice', 'demo_members', 'memberone000001', undefined, 'manage rule shows the e-mail')
    A.view('bob', 'demo_members', 'memberone000001', undefined, 'no manage rule')
    A.view('member', 'demo_members', 'memberone000001', undefined, 'own record')
    A.view('alice', 'demo_view', 'parentone000001', undefined, 'view collection')
    A.view('alice', 'demo_view', 'parenttwo000002', undefined, 'view collection with view rule')
    A.view('super', 'demo_view', 'parenttwo000002', { expand: 'owner' }, 'view collection with expand')
  }
  // ------------------------------------------------------------ fields
  {
    const A = book.area('sms_fields')
    const L = (fields, why, o = {}) =>
      A.list(
        o.as || 'alice',
        o.col || S,
        { sort: 'id', perPage: 2, fields, ...(o.p || {}) },
        why,
        o.tags ? { tags: o.tags } : undefined,
      )
    for (const f of [
      'id',
      'id,status',
      'status,id',
      ' id , status ',
      'id,id',
      '*',
      '*,id',
      'id,*',
      '',
      ',',
      'id,',
      'unknown',
      'id,unknown',
      'ID',
      'id.x',
      'status.x.y',
      'collectionId,collectionName',
      'items',
      'items.id',
      'page',
      'expand',
      'user',
      '*.id',
      'to:excerpt(3)',
      'body:excerpt(5)',
      'body:excerpt(5,true)',
      'body:excerpt(5, true)',
      'body:excerpt(5,false)',
      'body:excerpt(1000,true)',
      'body:excerpt(0)',
      'body:excerpt(-1)',
      'body:excerpt()',
      'body:excerpt',
      'body:excerpt(abc)',
      'body:excerpt(1,true,3)',
      'body:unknown(1)',
      'segments:excerpt(1)',
      'created:excerpt(4)',
      'to:excerpt(3),status:excerpt(2),created',
      'id,body:excerpt(4),status',
      'body:excerpt(2),body:excerpt(8)',
      'body,body:excerpt(2)',
      'id,body:excerpt(4',
      'id)',
      '"id"',
      'id status',
      'id;status',
      '*,body:excerpt(3)',
    ])
      L(f, `fields=${f}`)
    for (const f of [
      'id,expand.user.name',
      'expand.user.name',
      'expand.user.*',
      'expand.*',
      'expand.*.id',
      'expand.user',
      'id,expand',
      'expand.unknown.x',
      '*,expand.device.id',
      '*,expand.device.name:excerpt(3,true)',
      'id,expand.user.email',
      'id,expand.device.user',
      'expand.device.*,id',
      '*,expand.*',
      'user.name',
      'id,expand.user.id,expand.device.id,expand.device.name',
    ])
      L(f, `fields=${f} with expand`, { p: { expand: 'user,device' } })
    for (const f of [
      'id,expand.device.expand.user.name',
      'expand.device.expand.user.*',
      'id,expand.device.name,expand.device.expand.user.id',
      'expand.device.expand',
    ])
      L(f, `nested fields=${f}`, { p: { expand: 'device.user' } })
    for (const f of [
      'id,expand.groups.name',
      'expand.groups.*',
      'expand.groups.id,groups',
      'expand.groups.name:excerpt(2)',
    ])
      L(f, `list expand fields=${f}`, { col: 'contacts', p: { expand: 'groups', perPage: 4 } })
    for (const f of [
      'data.city',
      'data.nested.deep',
      'data.tags',
      'data.*',
      'data',
      'id,data.list.a',
      'data.city:excerpt(2)',
      'data:excerpt(3)',
      'name:excerpt(3)',
      'name:excerpt(3,true)',
    ])
      L(f, `json fields=${f}`, { col: 'contacts', p: { perPage: 12 } })
    for (const f of [
      'id,html:excerpt(10)',
      'id,html:excerpt(10,true)',
      'id,html:excerpt(200,true)',
      'html:excerpt(5,1)',
      'html:excerpt(5,t)',
      'place.lon',
      'id,place',
      'id,meta.a',
      'id,meta.b',
      'id,meta.c.d',
      'tags,rel_many',
      'secret',
      'id,secret',
      'doc',
    ])
      L(f, `types fields=${f}`, { col: 'demo_types', as: 'guest', p: { perPage: 6 } })
    L('id,secret', 'hidden field for the superuser', { col: 'demo_types', as: 'super', p: { perPage: 6 } })
    L('id,body:excerpt(20,true)', 'html template', { col: 'sms_templates', p: { perPage: 10 } })
    L('id,email,password,tokenKey', 'auth fields', { col: 'users', as: 'super' })
    A.view('alice', S, mine[3].id, { fields: 'items.id' }, 'items.* in a view')
    A.view('alice', S, mine[3].id, { fields: '*' }, 'star in a view')
    A.view('alice', S, mine[3].id, { fields: 'unknown' }, 'unknown in a view')
    A.view('alice', S, mine[3].id, { fields: 'id,expand.user.name', expand: 'user' }, 'expand in a view')
    A.one(
      GET('alice', `/api/collections/nope/records${qs({ fields: 'message' })}`),
      'fields on an error answer',
    )
    A.one(GET('guest', `/api/health${qs({ fields: 'code' })}`), 'fields on another endpoint')
    A.one(
      GET('guest', `/api/health${qs({ fields: 'data,message:excerpt(3)' })}`),
      'excerpt on another endpoint',
    )
    A.one(
      GET('alice', `/api/collections/users/auth-methods${qs({ fields: 'password' })}`),
      'fields on auth methods',
    )
    A.one(
      POST('guest', `/api/collections/users/auth-with-password${qs({ fields: 'record.id' })}`, {
        identity: 'alice@example.com',
        password: 'alicepass123',
      }),
      'fields on a sign-in',
    )
  }
  // ------------------------------------------------------------ expand
  {
    const A = book.area('sms_expand')
    const L = (expand, why, o = {}) =>
      A.list(o.as || 'alice', o.col || S, { sort: 'id', perPage: o.n || 3, expand, ...(o.p || {}) }, why)
    for (const e of [
      'user',
      'device',
      'user,device',
      'device,user',
      ' user , device ',
      'device.user',
      'device,device.user',
      'device.user,user',
      'user.device',
      'status',
      'unknown',
      'user,unknown',
      'unknown,user',
      'id',
      '',
      ',',
      'user.',
      '.user',
      'user.name',
      'USER',
      'user,user',
      'device.unknown',
      'expand',
      '*',
      'user.sms_messages_via_user',
    ])
      L(e, `expand=${e}`, { n: 2, p: { fields: '*,expand' } })
    L('device', 'a device of another user is not expanded', { p: { filter: `id="${msgs[5].id}"` } })
    L('device.user', 'nor its owner', { p: { filter: `id="${msgs[5].id}"` } })
    L('device.user', 'the superuser gets both', { as: 'super', p: { filter: `id="${msgs[5].id}"` } })
    L('device', 'empty relation', { p: { filter: 'device=""' } })
    L('user', 'as the device: the user record is not visible', { as: 'device_a1', n: 2 })
    L('device', 'as the device', { as: 'device_a1', n: 2 })
    L('user', 'superuser', { as: 'super', n: 4 })
    L('groups', 'many', { col: 'contacts', n: 12 })
    L('groups.user', 'nested behind many', { col: 'contacts', n: 4 })
    L('user,groups', 'two', { col: 'contacts', n: 4 })
    L('contacts_via_groups', 'back-relation of a multiple relation', {
      col: 'contact_groups',
      n: 10,
      p: { fields: 'id,name,expand.contacts_via_groups.id,expand.contacts_via_groups.name' },
    })
    L('contacts_via_groups.groups', 'back and forth', {
      col: 'contact_groups',
      n: 3,
      p: { fields: 'id,expand.contacts_via_groups.id,expand.contacts_via_groups.expand.groups.id' },
    })
    L('contacts_via_groups', 'superuser', {
      col: 'contact_groups',
      as: 'super',
      n: 10,
      p: { fields: 'id,expand.contacts_via_groups.id' },
    })
    L('contacts_via_user', 'not a relation of this collection', { col: 'contact_groups', n: 2 })
    L('sms_messages_via_device', 'messages of a device', {
      col: 'devices',
      n: 10,
      p: { fields: 'id,name,expand.sms_messages_via_device.id' },
    })
    L('devices_via_user', 'devices of a user', {
      col: 'users',
      n: 3,
      p: { fields: 'id,expand.devices_via_user.id,expand.devices_via_user.name' },
    })
    L('devices_via_user,contact_groups_via_user,webhooks_via_user', 'several back-relations', {
      col: 'users',
      n: 3,
      p: {
        fields:
          'id,expand.devices_via_user.id,expand.contact_groups_via_user.name,expand.webhooks_via_user.url',
      },
    })
    L('devices_via_user.sms_messages_via_device', 'nested back-relations', {
      col: 'users',
      as: 'carol',
      n: 3,
      p: {
        fields: 'id,expand.devices_via_user.id,expand.devices_via_user.expand.sms_messages_via_device.id',
      },
    })
    L('devices_via_user', 'no devices', { col: 'users', as: 'dave', n: 3 })
    L('unknown_via_user', 'unknown back-relation', { col: 'users', n: 3 })
    L('devices_via_unknown', 'unknown field of a back-relation', { col: 'users', n: 3 })
    L('devices_via_name', 'a field that is no relation', { col: 'users', n: 3 })
    L('demo_child_via_parent', 'cascade children', { col: 'demo_parent', n: 10 })
    L('demo_child_via_parent.demo_grand_via_child', 'two levels back', { col: 'demo_parent', n: 10 })
    L('demo_child_via_parent,demo_child_via_friends,demo_setnull_via_refs,demo_block_via_ref', 'four', {
      col: 'demo_parent',
      n: 10,
    })
    L('demo_types_via_rel_many,demo_types_via_rel_one', 'single and multiple', {
      col: 'demo_parent',
      n: 10,
      p: { fields: 'id,expand.demo_types_via_rel_many.id,expand.demo_types_via_rel_one.id' },
    })
    L('owner', 'owner: only oneself is visible', { col: 'demo_parent', n: 10 })
    L('owner', 'owner as bob', { col: 'demo_parent', as: 'bob', n: 10 })
    L('parent,friends', 'single and multiple', { col: 'demo_child', n: 10 })
    L('parent.owner,friends.owner', 'nested', { col: 'demo_child', n: 10 })
    L('parent.demo_child_via_parent', 'there and back', { col: 'demo_child', n: 3 })
    L('child.parent.owner', 'three levels', { col: 'demo_grand', n: 4 })
    L('child.parent.owner.demo_parent_via_owner.demo_child_via_parent.demo_grand_via_child', 'six levels', {
      col: 'demo_grand',
      n: 2,
    })
    L(
      'child.parent.demo_child_via_parent.parent.demo_child_via_parent.parent.owner',
      'seven levels: too deep',
      { col: 'demo_grand', n: 2 },
    )
    L('rel_one,rel_many', 'as guest: targets need an account', {
      col: 'demo_types',
      as: 'guest',
      n: 6,
      p: { fields: 'id,rel_one,rel_many,expand' },
    })
    L('rel_one,rel_many', 'order follows the field', {
      col: 'demo_types',
      n: 6,
      p: { fields: 'id,rel_many,expand.rel_one.id,expand.rel_many.id' },
    })
    L('owner,team', 'rules apply to the expanded records', { col: 'demo_rules', n: 10 })
    L('team.demo_team_docs_via_team', 'rules in back-relations', { col: 'demo_rules', n: 10 })
    L('sponsor', 'auth record relation', { col: 'demo_members', n: 5 })
    L('sponsor', 'auth record relation as guest', { col: 'demo_members', as: 'guest', n: 5 })
    L('owner', 'in a view collection', { col: 'demo_view', n: 5 })
    A.view(
      'alice',
      'demo_parent',
      'parentone000001',
      { expand: 'demo_child_via_parent.friends,owner' },
      'view with expand',
    )
    A.view(
      'alice',
      'demo_child',
      'childone0000001',
      { expand: 'parent.owner,demo_grand_via_child' },
      'view with expand',
    )
    A.view(
      'alice',
      'users',
      'usralice0000001',
      {
        expand: 'sms_usage_via_user',
        fields: 'id,expand.sms_usage_via_user.period,expand.sms_usage_via_user.used',
      },
      'view with back-relation',
    )
    A.view('alice', 'users', 'usralice0000001', { expand: 'demo_locked_via_user' }, 'no such relation')
    L('sms_templates_via_user', 'templates', { col: 'users', n: 2, p: { fields: 'id,expand' } })
    L('api_keys_via_user', 'keys: hash stays hidden', { col: 'users', n: 2, p: { fields: 'id,expand' } })
    L('api_keys_via_user', 'keys as superuser', {
      col: 'users',
      as: 'super',
      n: 5,
      p: { fields: 'id,expand' },
    })
  }
  // ------------------------------------------------------------ errors
  {
    const A = book.area('sms_errors')
    const m0 = mine[0].id
    const R = (as, method, path, why, o = {}) => A.one(REQ(as, method, path, o), why)
    for (const as of ['alice', 'super']) {
      R(as, 'GET', recs('nope'), 'unknown collection')
      R(as, 'GET', recs('nope', m0), 'unknown collection, view')
      R(as, 'POST', recs('nope'), 'unknown collection, create', { body: {} })
      R(as, 'PATCH', recs('nope', m0), 'unknown collection, update', { body: {} })
      R(as, 'DELETE', recs('nope', m0), 'unknown collection, delete')
      R(as, 'GET', recs(S, 'nonexistent0000'), 'unknown id')
      R(as, 'PATCH', recs(S, 'nonexistent0000'), 'update of an unknown id', { body: { body: 'x' } })
      R(as, 'DELETE', recs(S, 'nonexistent0000'), 'delete of an unknown id')
      R(as, 'PUT', recs(S), 'PUT on the list', { body: {} })
      R(as, 'PUT', recs(S, m0), 'PUT on a record', { body: {} })
      R(as, 'DELETE', recs(S), 'DELETE on the list')
      R(as, 'PATCH', recs(S), 'PATCH on the list', { body: {} })
      R(as, 'POST', recs(S, m0), 'POST on a record', { body: {} })
    }
    R('alice', 'POST', recs(S), 'create is for superusers', { body: { body: 'x' } })
    R('alice', 'PATCH', recs(S, m0), 'update is for superusers', { body: { body: 'x' } })
    R('guest', 'POST', recs(S), 'create as guest', { body: {} })
    R('guest', 'PATCH', recs(S, m0), 'update as guest', { body: {} })
    R('guest', 'DELETE', recs(S, m0), 'delete as guest')
    R('bob', 'DELETE', recs(S, m0), "delete of another user's message")
    R(
      'device_a1',
      'DELETE',
      recs(S, mine.find((m) => m.device === 'devpixel8alice1').id),
      'a device may not delete',
    )
    R('device_a1', 'PATCH', recs(S, m0), 'a device may not update', { body: { status: 'sent' } })
    R(
      'alice',
      'GET',
      '/api/collections/SMS_MESSAGES/records?perPage=1&sort=id&fields=id',
      'collection name in another case',
    )
    R(
      'alice',
      'GET',
      '/api/collections/sms%5Fmessages/records?perPage=1&sort=id&fields=id',
      'encoded collection name',
    )
    R('alice', 'GET', '/api/collections//records', 'empty collection name')
    R('alice', 'GET', '/api/collections/%20/records', 'blank collection name')
    R('alice', 'GET', '/api/collections/sms_messages%00/records', 'NUL in the name')
    R('alice', 'GET', `/api/collections/${'x'.repeat(300)}/records`, 'long name')
    R('alice', 'GET', '/api/collections/../records', 'dots in the path')
    R('alice', 'GET', '/api/collections/sms_messages/record', 'misspelt path')
    R('alice', 'GET', '/api/collections/sms_messages/records/', 'list with a trailing slash')
    R('alice', 'GET', '/api/collections/sms_messages/records//', 'two trailing slashes')
    R('alice', 'GET', '/api//collections/sms_messages/records', 'double slash')
    R('alice', 'GET', '/API/collections/sms_messages/records', 'upper-case /API')
    R('alice', 'GET', `${recs(S)}?sort=id&perPage=1&fields=id&filter=%`, 'a broken percent escape')
    R('alice', 'GET', `${recs(S)}?sort=id&perPage=1&fields=id&filter=%zz`, 'a broken percent escape')
    R('alice', 'GET', `${recs(S)}?sort=id&perPage=1&fields=id&%=1`, 'a broken key')
    R('alice', 'GET', `${recs(S)}?sort=id&perPage=1&fields=id&filter=%C3%28`, 'invalid UTF-8')
    R('alice', 'GET', `${recs(S)}?sort=id&perPage=1&fields=id&filter`, 'a filter without value')
    R('alice', 'GET', `${recs(S)}?sort=id&perPage=1&fields=id&filter=`, 'an empty filter')
    R('alice', 'GET', `${recs(S)}?sort=id&perPage=1&fields=id&filter=%20`, 'a blank filter')
    for (const c of ['_superusers', '_externalAuths', '_mfas', '_otps'])
      R('alice', 'GET', recs(c), `${c} as a user`)
    for (const c of ['_superusers', '_mfas', '_otps']) R('guest', 'GET', recs(c), `${c} as guest`)
    R('alice', 'GET', recs('pbc_3142635823'), 'system collection by id')
    R('alice', 'GET', '/api/collections/_pb_users_auth_/records?fields=id', 'users by id')
    R('alice', 'POST', recs('contacts'), 'broken JSON', {
      raw: '{"phone":',
      headers: { 'content-type': 'application/json' },
    })
    R('alice', 'POST', recs('contacts'), 'JSON array', {
      raw: '[]',
      headers: { 'content-type': 'application/json' },
    })
    R('alice', 'POST', recs('contacts'), 'JSON string', {
      raw: '"x"',
      headers: { 'content-type': 'application/json' },
    })
    R('alice', 'POST', recs('contacts'), 'JSON null', {
      raw: 'null',
      headers: { 'content-type': 'application/json' },
    })
    R('alice', 'POST', recs('contacts'), 'empty body', {
      raw: '',
      headers: { 'content-type': 'application/json' },
    })
    R('alice', 'POST', recs('contacts'), 'no body')
    R('alice', 'POST', recs('contacts'), 'text/plain', {
      raw: 'hello',
      headers: { 'content-type': 'text/plain' },
    })
    R('alice', 'POST', recs('contacts'), 'XML', {
      raw: '<a/>',
      headers: { 'content-type': 'application/xml' },
    })
    R('alice', 'POST', recs('contacts'), 'no content type', { raw: '{"phone":"x"}', headers: {} })
    R('alice', 'POST', recs('contacts'), 'two JSON values', {
      raw: '{} {}',
      headers: { 'content-type': 'application/json' },
    })
    R('alice', 'POST', recs('contacts'), 'a trailing comma', {
      raw: '{"phone":"1",}',
      headers: { 'content-type': 'application/json' },
    })
    R('alice', 'POST', recs('contacts'), 'multipart without boundary', {
      raw: 'x',
      headers: { 'content-type': 'multipart/form-data' },
    })
  }
}
