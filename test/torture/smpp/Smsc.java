import com.cloudhopper.commons.charset.CharsetUtil;
import com.cloudhopper.smpp.*;
import com.cloudhopper.smpp.impl.*;
import com.cloudhopper.smpp.pdu.*;
import com.cloudhopper.smpp.tlv.Tlv;
import com.cloudhopper.smpp.transcoder.*;
import com.cloudhopper.smpp.type.*;
import java.io.*;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.*;
import org.jboss.netty.buffer.*;

/**
 * An SMSC on Cloudhopper's server that does what carriers do: Smsc PORT NOTES FAULTS INCOMING. Any system_id may bind.
 * NOTES outlives a kill: what was not acknowledged is sent again. A line of it is an object, a text that comes in as it
 * must be stored; or a list of words. FAULTS: share of requests that get each fault, from 0 to 1. INCOMING: how many long
 * texts come in.
 *
 * Faults: throttling, answers after the receipts, answers after the agent's answer_seconds, unbinds while answers are
 * open, messages that are cut off. Always: numbers in all forms, parts cut between an escape of GSM 03.38 and its
 * character, and, if all is well for a while, the first long text once more, with the same reference.
 */
class Smsc implements SmppServerHandler {
  static final String OURS = "4915100000001";
  static final int WINDOW = 50, LATE_MS = 3_800, HELD_MS = 400, AGAIN_MS = 20_000, UNBIND_MS = 1_500;
  static final String[] WORDS = {"Grüße aus Köln: 5 € für {Ärger} [und] ~mehr~ ", "Привет, мир — 你好 😀 "};
  static final String[][] FORMS = { // type of number and prefix
    {"1", "49"}, {"0", "49"}, {"2", "49"}, {"0", "0049"}, {"2", "0"}, {"2", ""}, {"0", "0"}, {"1", "0049"}
  };

  final double faults;
  final int incoming;
  final FileOutputStream notes;
  final Random random = new Random();
  final ScheduledExecutorService loop = Executors.newSingleThreadScheduledExecutor();
  final Map<String, String[]> pending = new LinkedHashMap<>();
  final Map<String, Handler> open = new HashMap<>();
  final Set<Handler> bound = new LinkedHashSet<>();
  int count, came, stops, sessions;
  long repeatAt = Long.MAX_VALUE;

  Smsc(Path path, double faults, int incoming) throws IOException {
    this.faults = faults;
    this.incoming = incoming;
    if (Files.exists(path)) for (String line : Files.readAllLines(path)) if (line.startsWith("[")) read(words(line));
    notes = new FileOutputStream(path.toFile(), true);
  }

  static String[] words(String line) {
    return line.substring(2, line.length() - 2).split("\",\"", -1);
  }

  /** ["id",n] ["came",n] ["stop",n] ["done",key], or ["deliver",key,from,ton,esm_class,coding,content,tlvs]. */
  void read(String[] note) {
    switch (note[0]) {
      case "deliver": pending.put(note[1], note); break;
      case "done": pending.remove(note[1]); break;
      case "id": count = Integer.parseInt(note[1]); break;
      case "came": came = Integer.parseInt(note[1]); break;
      case "stop": stops = Integer.parseInt(note[1]); break;
      default:
    }
  }

  void write(String... note) {
    write("", List.<String[]>of(note));
  }

  /** Writes all at once, as a kill may come at any time: half of a text would be lost, or expected twice. */
  synchronized void write(String expected, List<String[]> news) {
    StringBuilder lines = new StringBuilder(expected);
    for (String[] note : news) lines.append("[\"" + String.join("\",\"", note) + "\"]\n");
    try {
      notes.write(lines.toString().getBytes(StandardCharsets.UTF_8));
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
    for (String[] note : news) read(note);
  }

  /** The line of a text that must be stored; `text` has nothing that JSON would escape. */
  static String expected(String from, String text) {
    return "{\"from\":\"" + from + "\",\"text\":\"" + text + "\"}\n";
  }

  boolean chance(double share) {
    return random.nextDouble() < share;
  }

  void later(int ms, Runnable work) {
    loop.schedule(() -> {
      try {
        work.run();
      } catch (Exception error) {
        error.printStackTrace(); // a link that has gone
      }
    }, ms, TimeUnit.MILLISECONDS);
  }

  static String hex(byte[] bytes) {
    StringBuilder text = new StringBuilder();
    for (byte each : bytes) text.append(String.format("%02x", each));
    return text.toString();
  }

  static byte[] bytes(String hex) {
    byte[] bytes = new byte[hex.length() / 2];
    for (int i = 0; i < bytes.length; i++) bytes[i] = (byte) Integer.parseInt(hex.substring(2 * i, 2 * i + 2), 16);
    return bytes;
  }

  /** Ids are hexadecimal in the answer, in padded decimal in the text, as in the answer in the TLV. */
  void receipt(int id, String to) {
    String text = String.format("id:%010d sub:001 dlvrd:001 submit date:2611201200 done date:2611201201 stat:DELIVRD err:000 text:", id);
    String tlvs = id % 3 == 0 ? "1e:" + hex((Integer.toHexString(id) + "\0").getBytes()) + " 427:02" : "";
    write("deliver", "r" + id, to, "1", "4", "0", hex(text.getBytes()), tlvs);
  }

  /** A text in several parts, in any order. Alphabet, form of the sender and way of splitting go round. */
  void longText(int number, String key) {
    boolean isGsm = number % 2 == 1;
    String text = number + ": " + WORDS[isGsm ? 0 : 1].repeat(7);
    byte[] all = isGsm ? CharsetUtil.encode(text, CharsetUtil.CHARSET_GSM) : text.getBytes(StandardCharsets.UTF_16BE);
    String[] form = FORMS[number % FORMS.length];
    String national = String.format("17%08d", number);
    List<byte[]> parts = new ArrayList<>();
    for (int start = 0, end; start < all.length; start = end) {
      end = Math.min(all.length, start + 60);
      if (isGsm) while (end < all.length && end < start + 140 && all[end - 1] != 0x1b) end++;
      parts.add(Arrays.copyOfRange(all, start, end));
    }
    List<String[]> made = new ArrayList<>();
    for (int i = 1; i <= parts.size(); i++) {
      boolean isSar = number % 3 == 0;
      byte[] head = {5, 0, 3, (byte) number, (byte) parts.size(), (byte) i};
      String tlvs = String.format("20c:%04x 20e:%02x 20f:%02x", number, parts.size(), i);
      made.add(new String[] {"deliver", key + number + "." + i, form[1] + national, form[0], isSar ? "0" : "64",
        isGsm ? "0" : "8", (isSar ? "" : hex(head)) + hex(parts.get(i - 1)), isSar ? tlvs : ""});
    }
    Collections.shuffle(made);
    made.add(new String[] {"came", "" + number});
    write(expected("+49" + national, text), made);
  }

  /** A STOP of each form, and now and then a message that is cut off. */
  void stop() {
    int number = stops + 1;
    String[] form = FORMS[number % FORMS.length];
    String national = String.format("16%08d", number);
    List<String[]> made = new ArrayList<>();
    made.add(new String[] {"stop", "" + number});
    made.add(new String[] {"deliver", "s" + number, form[1] + national, form[0], "0", "0", hex("STOP".getBytes()), ""});
    if (number % 2 == 0) made.add(new String[] {"deliver", "cut" + number, form[1] + national, form[0], "0", "0", hex("No text".getBytes()), ""});
    write(expected("+49" + national, "STOP"), made);
  }

  static DeliverSm pduOf(String[] note) throws Exception {
    DeliverSm pdu = new DeliverSm();
    pdu.setSourceAddress(new Address(Byte.parseByte(note[3]), (byte) 1, note[2]));
    pdu.setDestAddress(new Address((byte) 1, (byte) 1, OURS));
    pdu.setEsmClass(Byte.parseByte(note[4]));
    pdu.setDataCoding(Byte.parseByte(note[5]));
    pdu.setShortMessage(bytes(note[6]));
    for (String tlv : note[7].isEmpty() ? new String[0] : note[7].split(" "))
      pdu.addOptionalParameter(new Tlv(Short.parseShort(tlv.split(":")[0], 16), bytes(tlv.split(":")[1])));
    pdu.setReferenceObject(note[1]);
    return pdu;
  }

  /** Sends what waits. Not under the lock: each sending waits for a thread that may want it. */
  void tick() {
    for (Map.Entry<String[], Handler> each : next().entrySet()) {
      String[] note = each.getKey();
      Handler by = each.getValue();
      try {
        if (note[1].startsWith("cut")) by.sendCut(pduOf(note), note[1]);
        else by.session.sendRequestPdu(pduOf(note), 5_000, false);
      } catch (Exception error) {
        synchronized (this) {
          open.remove(note[1]);
        }
      }
    }
  }

  synchronized Map<String[], Handler> next() {
    Map<String[], Handler> chosen = new LinkedHashMap<>();
    List<Handler> receivers = new ArrayList<>();
    for (Handler each : bound)
      if (!each.isEnding && each.session.isBound() && each.session.getBindType() != SmppBindType.TRANSMITTER) receivers.add(each);
    if (receivers.isEmpty()) return chosen;
    if (came < incoming) longText(came + 1, "i");
    if (stops < FORMS.length * 2) stop();
    if (System.currentTimeMillis() > repeatAt) {
      repeatAt = Long.MAX_VALUE;
      longText(1, "again");
      write("came", "" + incoming);
    }
    for (String[] note : new ArrayList<>(pending.values())) {
      if (open.size() >= WINDOW) break;
      if (open.containsKey(note[1])) continue;
      Handler by = receivers.get(random.nextInt(receivers.size()));
      open.put(note[1], by);
      chosen.put(note, by);
    }
    return chosen;
  }

  synchronized void delivered(String key, int status) {
    open.remove(key);
    if (key.startsWith("cut")) {
      write("done", key);
      if (status == 0) write("fault", "stored " + key + " that was cut off");
    } else if (status == 0 && pending.containsKey(key)) {
      write("done", key);
      boolean isFirst = pending.keySet().stream().noneMatch(each -> each.startsWith("i1."));
      if (faults == 0 && key.startsWith("i1.") && isFirst) repeatAt = System.currentTimeMillis() + AGAIN_MS;
    }
  }

  class Handler extends DefaultSmppSessionHandler {
    final DefaultSmppSession session;
    final Map<Integer, String> cut = new ConcurrentHashMap<>();
    final Set<Integer> unanswered = ConcurrentHashMap.newKeySet();
    volatile boolean isEnding;

    Handler(SmppServerSession session) {
      this.session = (DefaultSmppSession) session;
    }

    void answer(PduResponse response) {
      unanswered.remove(response.getSequenceNumber());
      try {
        session.sendResponsePdu(response);
      } catch (Exception error) {
        error.printStackTrace(); // the link has gone
      }
    }

    public PduResponse firePduRequestReceived(PduRequest request) {
      if (request instanceof Unbind) later(50, session::destroy);
      if (!(request instanceof SubmitSm)) return request.createResponse();
      SubmitSmResp response = ((SubmitSm) request).createResponse();
      unanswered.add(request.getSequenceNumber());
      if (chance(faults / 4)) {
        response.setCommandStatus(chance(0.5) ? SmppConstants.STATUS_THROTTLED : SmppConstants.STATUS_MSGQFUL);
        later(isEnding ? HELD_MS : 0, () -> answer(response));
        return null;
      }
      synchronized (Smsc.this) {
        int id = count + 1;
        write("id", "" + id);
        response.setMessageId(Integer.toHexString(id).toUpperCase());
        String to = ((SubmitSm) request).getDestAddress().getAddress();
        boolean isLate = chance(faults / 10) && !isEnding;
        if (isLate) unanswered.remove(request.getSequenceNumber()); // the agent gives it up
        else receipt(id, to);
        later(isEnding ? HELD_MS : isLate ? LATE_MS : chance(faults) ? 120 : 0, () -> {
          if (isLate) receipt(id, to); // first, as a kill may come between; it leaves with the next tick
          answer(response);
        });
      }
      return null;
    }

    public void fireExpectedPduResponseReceived(PduAsyncResponse response) {
      if (response.getResponse() instanceof UnbindResp) {
        write("unbound");
        if (!unanswered.isEmpty()) write("fault", "unbound with " + unanswered.size() + " answers open");
        later(50, session::destroy);
      } else delivered((String) response.getRequest().getReferenceObject(), response.getResponse().getCommandStatus());
    }

    public void fireUnexpectedPduResponseReceived(PduResponse response) {
      String key = cut.remove(response.getSequenceNumber());
      if (key != null) delivered(key, response.getCommandStatus());
    }

    public void firePduRequestExpired(PduRequest request) {
      synchronized (Smsc.this) {
        open.remove(request.getReferenceObject());
      }
    }

    /** Writes a message that ends in the middle of its text, or before it, as if it were whole. */
    void sendCut(DeliverSm pdu, String key) throws Exception {
      pdu.setSequenceNumber(session.getSequenceNumber().next());
      ChannelBuffer whole = new DefaultPduTranscoder(new DefaultPduTranscoderContext()).encode(pdu);
      byte[] bytes = new byte[whole.readableBytes() - 3 - random.nextInt(20)];
      whole.readBytes(bytes);
      ByteBuffer.wrap(bytes).putInt(bytes.length);
      cut.put(pdu.getSequenceNumber(), key);
      session.getChannel().write(ChannelBuffers.wrappedBuffer(ChannelBuffers.BIG_ENDIAN, bytes));
    }

    /** From now on no answers, for a while; the unbind comes in the midst of it. */
    void unbind() {
      isEnding = true;
      later(HELD_MS / 4, () -> {
        try {
          session.sendRequestPdu(new Unbind(), 10_000, false);
        } catch (Exception error) {
          session.destroy();
        }
      });
    }
  }

  public void sessionBindRequested(Long id, SmppSessionConfiguration configuration, BaseBind request) {
    configuration.setWindowSize(2 * WINDOW);
    configuration.setRequestExpiryTimeout(5_000);
    configuration.setWindowMonitorInterval(1_000);
  }

  public void sessionCreated(Long id, SmppServerSession session, BaseBindResp response) {
    Handler handler = new Handler(session);
    synchronized (this) {
      bound.add(handler);
      // every other one lives until its late answers are out
      if (faults > 0 && ++sessions % 2 == 1) later(UNBIND_MS, handler::unbind);
    }
    session.serverReady(handler);
  }

  public void sessionDestroyed(Long id, SmppServerSession session) {
    synchronized (this) {
      bound.removeIf(each -> each.session == session);
      open.values().removeIf(each -> each.session == session);
    }
    session.destroy();
  }

  public static void main(String[] args) throws Exception {
    Smsc smsc = new Smsc(Path.of(args[1]), Double.parseDouble(args[2]), Integer.parseInt(args[3]));
    SmppServerConfiguration configuration = new SmppServerConfiguration();
    configuration.setHost("127.0.0.1");
    configuration.setPort(Integer.parseInt(args[0]));
    configuration.setMaxConnectionSize(50);
    configuration.setNonBlockingSocketsEnabled(true);
    new DefaultSmppServer(configuration, smsc, Executors.newCachedThreadPool()).start();
    smsc.loop.scheduleWithFixedDelay(() -> {
      try {
        smsc.tick();
      } catch (Exception error) {
        error.printStackTrace();
      }
    }, 50, 50, TimeUnit.MILLISECONDS);
  }
}
