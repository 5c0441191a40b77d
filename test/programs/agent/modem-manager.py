"""A ModemManager with one modem, on the system bus of DBUS_SYSTEM_BUS_ADDRESS. The texts in its memory are
the arguments, as JSON: number, text, data, state, pdu, timestamp. It prints each text that it creates."""

import json
import sys

import dbus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
BUS = dbus.SystemBus()
MM = "org.freedesktop.ModemManager1"
ROOT = "/org/freedesktop/ModemManager1"
MODEM = ROOT + "/Modem/0"
STATE, SUBMIT, SENT = "State", 2, 5


class WithProperties(dbus.service.Object):
    def __init__(self, path, interfaces):
        super().__init__(BUS, path)
        self.interfaces = interfaces

    @dbus.service.method("org.freedesktop.DBus.Properties", in_signature="s", out_signature="a{sv}")
    def GetAll(self, name):
        return self.interfaces.get(name, {})


class Sms(WithProperties):
    @dbus.service.method(MM + ".Sms")
    def Send(self):
        self.interfaces[MM + ".Sms"][STATE] = dbus.UInt32(SENT)


class Modem(WithProperties):
    @dbus.service.method(MM + ".Modem.Messaging", in_signature="a{sv}", out_signature="o")
    def Create(self, properties):
        print(json.dumps({key: str(value) for key, value in properties.items()}), flush=True)
        return store(str(properties["number"]), str(properties["text"]), state=0, pdu=SUBMIT)

    @dbus.service.method(MM + ".Modem.Messaging", in_signature="o")
    def Delete(self, path):
        texts.pop(path).remove_from_connection()
        announce()


class Manager(WithProperties):
    @dbus.service.method("org.freedesktop.DBus.ObjectManager", out_signature="a{oa{sa{sv}}}")
    def GetManagedObjects(self):
        return {MODEM: interfaces}


def announce():
    messaging["Messages"] = dbus.Array(list(texts), signature="o")


def store(number="", text="", data="", state=3, pdu=1, timestamp=""):
    global count
    path = f"{ROOT}/SMS/{count}"
    count += 1
    properties = {
        STATE: dbus.UInt32(state),
        "PduType": dbus.UInt32(pdu),
        "Number": number,
        "Text": text,
        "Data": dbus.Array(bytes.fromhex(data), signature="y"),
        "SMSC": "",
        "Validity": dbus.Struct((dbus.UInt32(0), dbus.UInt32(0, variant_level=1))),
        "Class": dbus.Int32(-1),
        "TeleserviceId": dbus.UInt32(0),
        "ServiceCategory": dbus.UInt32(0),
        "DeliveryReportRequest": False,
        "MessageReference": dbus.UInt32(0),
        "Timestamp": timestamp,
        "DischargeTimestamp": "",
        "DeliveryState": dbus.UInt32(256),
        "Storage": dbus.UInt32(1),
    }
    texts[path] = Sms(path, {MM + ".Sms": properties})
    announce()
    return path


count = 0
texts = {}
messaging = {
    "SupportedStorages": dbus.Array([1, 2], signature="u"),
    "DefaultStorage": dbus.UInt32(1),
    "Messages": dbus.Array([], signature="o"),
}
modem = {
    STATE: dbus.Int32(8),
    "Sim": dbus.ObjectPath("/"),
    "Manufacturer": "Quectel",
    # mmcli 1.20 crashes without these
    "Drivers": dbus.Array(["option"], signature="s"),
    "SupportedModes": dbus.Array([(dbus.UInt32(8), dbus.UInt32(0))], signature="(uu)"),
    "CurrentModes": dbus.Struct((dbus.UInt32(8), dbus.UInt32(0))),
    "SupportedCapabilities": dbus.Array([4], signature="u"),
    "SupportedBands": dbus.Array([31], signature="u"),
    "CurrentBands": dbus.Array([31], signature="u"),
    "Ports": dbus.Array([("cdc-wdm0", dbus.UInt32(6))], signature="(su)"),
    "UnlockRetries": dbus.Dictionary({}, signature="uu"),
    "SignalQuality": dbus.Struct((dbus.UInt32(80), True)),
}
interfaces = {MM + ".Modem": modem, MM + ".Modem.Messaging": messaging}
objects = [Modem(MODEM, interfaces), Manager(ROOT, {MM: {"Version": "1.20.4"}})]
for each in sys.argv[1:]:
    store(**json.loads(each))
name = dbus.service.BusName(MM, BUS)
print("ready", flush=True)
GLib.MainLoop().run()
