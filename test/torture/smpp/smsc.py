"""An SMSC on smpp.twisted's server that behaves badly.

smsc.py serve PORT NOTES FAULTS INCOMING: serves system "pocketsms", password "secret". NOTES outlives a kill: deliveries
that were not acknowledged are sent again. FAULTS: share of requests that get each fault, from 0 to 1. INCOMING: how many
long texts come in.
smsc.py read: reads submit_sm PDUs in hexadecimal from standard input, a line each; writes {to, part, parts, ref, text}.
"""

import json
import os
import random
import sys
import time
from io import BytesIO

import gsm0338  # the codec gsm03.38
from smpp.pdu.operations import DeliverSM
from smpp.pdu.pdu_encoding import PDUEncoder
from smpp.pdu.pdu_types import (AddrNpi, AddrTon, CommandStatus, DataCoding, DataCodingDefault, EsmClass,
                                EsmClassGsmFeatures, EsmClassMode, EsmClassType, MessageState)
from smpp.twisted.config import SMPPServerConfig
from smpp.twisted.protocol import DataHandlerResponse
from smpp.twisted.server import SMPPServerFactory
from twisted.cred.checkers import InMemoryUsernamePasswordDatabaseDontUse
from twisted.cred.portal import IRealm, Portal
from twisted.internet import reactor, task
from zope.interface import implementer

USER, PASSWORD = 'pocketsms', 'secret'
OURS = '4915100000001'
WINDOW = 50  # open deliver_sm
CODECS = {'SMSC_DEFAULT_ALPHABET': 'gsm03.38', 'LATIN_1': 'latin-1', 'UCS2': 'utf-16-be'}
WORDS = {
    'SMSC_DEFAULT_ALPHABET': 'Grüße aus Köln: 5 € für {Ärger} [und] ~mehr~ ',
    'LATIN_1': 'Às três, não ¼ nem ½, custa £ 9 à ª pessoa: «já» ',
    'UCS2': 'Привет, мир — 你好 😀 ',
}


class Notes:
    """Deliveries that are not acknowledged, by key; in a file, too."""

    def __init__(self, path):
        self.pending, self.count, self.incoming = {}, 0, 0
        if os.path.exists(path):
            for line in open(path, encoding='utf-8'):
                self.read(json.loads(line))
        self.file = open(path, 'ab', buffering=0)

    def read(self, note):
        if 'done' in note:
            self.pending.pop(note['done'], None)
        elif 'key' in note:
            self.pending[note['key']] = note
        self.count = max(self.count, note.get('id', 0))
        self.incoming = max(self.incoming, note.get('incoming', 0))

    def write(self, *notes):
        self.file.write(b''.join(json.dumps(note).encode() + b'\n' for note in notes))
        for note in notes:
            self.read(note)


def receipt(key, number, pdu_to, pdu_from, name, state='DELIVRD', is_known=True):
    """Ids are in hexadecimal in the answer, in padded decimal in the text, as in the answer in the TLV."""
    day = time.strftime('%y%m%d%H%M')
    said = f'{number:010d}' if is_known else f'{number + 7_000_000_000:010d}'
    text = f'id:{said} sub:001 dlvrd:001 submit date:{day} done date:{day} stat:{state} err:000 text:'
    tlvs = {'receipted_message_id': f'{number:X}', 'message_state': name} if is_known and number % 3 == 0 else {}
    return {'key': key, 'from': pdu_to, 'to': pdu_from, 'kind': 'receipt', 'coding': 'SMSC_DEFAULT_ALPHABET',
            'body': text.encode().hex(), 'tlvs': tlvs}


def receipts(number, pdu, faults):
    """What becomes of a text: delivered, perhaps said twice, after other news, or beside news of a text that nobody sent."""
    to, by = pdu.params['destination_addr'].decode(), pdu.params['source_addr'].decode()
    kinds = [('r', 'DELIVRD', 'DELIVERED', True)]
    if random.random() < faults:
        kinds.append(('d', 'DELIVRD', 'DELIVERED', True))
    if random.random() < faults:
        kinds.insert(0, ('e', 'ENROUTE', 'ENROUTE', True))
    if random.random() < faults:
        kinds.insert(0, ('w', 'UNDELIV', 'UNDELIVERABLE', False))
    return [receipt(f'{key}{number}', number, to, by, name, state, known) for key, state, name, known in kinds]


def long_text(number):
    """A text in several parts, in any order; its alphabet and the way it is split go round."""
    coding, split = list(WORDS)[number % 3], ('udh8', 'udh16', 'sar', 'payload')[number % 4]
    text, sender = f'{number}: ' + WORDS[coding] * 9, f'4917{number:08d}'
    data = text.encode(CODECS[coding])
    if split == 'payload':
        parts = [data]
    elif coding == 'UCS2':
        parts = [data[i:i + 60] for i in range(0, len(data), 60)]  # also between the halves of a character
    else:
        parts = [text[i:i + 70].encode(CODECS[coding]) for i in range(0, len(text), 70)]
    count, notes = len(parts), []
    for i, part in enumerate(parts, 1):
        head, tlvs = b'', {}
        if split == 'udh8':
            head = bytes([5, 0, 3, number % 256, count, i])
        if split == 'udh16':
            head = bytes([6, 8, 4, 1, number % 256, count, i])
        if split == 'sar':
            tlvs = {'sar_msg_ref_num': number, 'sar_total_segments': count, 'sar_segment_seqnum': i}
        notes.append({'key': f'i{number}.{i}', 'incoming': number, 'from': sender, 'to': OURS, 'kind': split,
                      'coding': coding, 'tlvs': tlvs, 'body': (head + part).hex()})
    random.shuffle(notes)
    return [{'text': text, 'from': f'+{sender}'}, *notes]


def deliver_sm(note):
    """The PDU of a note."""
    kind, body = note['kind'], bytes.fromhex(note['body'])
    tlvs = {key: MessageState[value] if key == 'message_state' else value for key, value in note['tlvs'].items()}
    if kind == 'payload':
        tlvs['message_payload'] = body
    return DeliverSM(
        source_addr=note['from'], source_addr_ton=AddrTon.INTERNATIONAL, source_addr_npi=AddrNpi.ISDN,
        destination_addr=note['to'], esm_class=EsmClass(
            EsmClassMode.DEFAULT,
            EsmClassType.SMSC_DELIVERY_RECEIPT if kind == 'receipt' else EsmClassType.DEFAULT,
            [EsmClassGsmFeatures.UDHI_INDICATOR_SET] if kind.startswith('udh') else []),
        data_coding=DataCoding(schemeData=DataCodingDefault[note['coding']]),
        short_message=b'' if kind == 'payload' else body, **tlvs)


class Smsc:
    def __init__(self, notes, faults, incoming):
        self.notes, self.faults, self.incoming, self.open = notes, faults, incoming, set()

    def submitted(self, system_id, smpp, pdu):
        if random.random() < self.faults / 4:
            return random.choice([CommandStatus.ESME_RTHROTTLED, CommandStatus.ESME_RMSGQFUL])
        number = self.notes.count + 1
        notes = receipts(number, pdu, self.faults)
        self.notes.write({'id': number}, *notes)
        answer = DataHandlerResponse(CommandStatus.ESME_ROK, message_id=f'{number:X}')
        if random.random() >= self.faults:
            return answer
        self.deliver()
        return task.deferLater(reactor, 0.1, lambda: answer)  # the receipts come first

    def deliver(self):
        binds = self.factory.getBoundConnections(USER)
        for key, note in list(self.notes.pending.items()):
            bind = binds and len(self.open) < WINDOW and binds.getNextBindingForDelivery()
            if not bind:
                return
            if key in self.open:
                continue
            self.open.add(key)
            bind.encoder = PDUEncoder()  # a used one keeps the length of the last TLV it read
            bind.sendDataRequest(deliver_sm(note)).addCallbacks(
                lambda _, key=key: self.notes.write({'done': key}), lambda _: None,
            ).addBoth(lambda _, key=key: self.open.discard(key))

    def receive(self):
        if self.notes.incoming < self.incoming and self.factory.getBoundConnections(USER):
            self.notes.write(*long_text(self.notes.incoming + 1))

    def serve(self, port):
        @implementer(IRealm)
        class Realm:
            def requestAvatar(self, avatar, mind, *interfaces):
                return ('SMPP', avatar, lambda: None)

        checker = InMemoryUsernamePasswordDatabaseDontUse()
        checker.addUser(USER, PASSWORD)
        config = SMPPServerConfig(msgHandler=self.submitted, systems={USER: {'max_bindings': 20}}, responseTimerSecs=5)
        self.factory = SMPPServerFactory(config, auth_portal=Portal(Realm(), [checker]))
        reactor.listenTCP(port, self.factory, interface='127.0.0.1')
        task.LoopingCall(self.deliver).start(0.05)
        task.LoopingCall(self.receive).start(0.2)
        reactor.run()


def read(line):
    pdu = PDUEncoder().decode(BytesIO(bytes.fromhex(line)))
    params, data = pdu.params, pdu.params.get('message_payload') or pdu.params['short_message']
    ref, parts, part = (params.get(f'sar_{name}') for name in ('msg_ref_num', 'total_segments', 'segment_seqnum'))
    if EsmClassGsmFeatures.UDHI_INDICATOR_SET in params['esm_class'].gsmFeatures:
        *ref, parts, part = data[3:data[0] + 1]
        data = data[data[0] + 1:]
    text = data.decode(CODECS[params['data_coding'].schemeData.name])
    return {'to': params['destination_addr'].decode(), 'ref': ref, 'parts': parts or 1, 'part': part or 1, 'text': text}


if sys.argv[1] == 'read':
    for line in sys.stdin:
        print(json.dumps(read(line.strip())))
else:
    _, _, port, path, faults, incoming = sys.argv
    Smsc(Notes(path), float(faults), int(incoming)).serve(int(port))
