import com.twilio.exception.ApiException;
import com.twilio.http.NetworkHttpClient;
import com.twilio.http.Request;
import com.twilio.http.Response;
import com.twilio.http.TwilioRestClient;
import com.twilio.rest.verify.v2.Service;
import com.twilio.rest.verify.v2.service.Verification;
import com.twilio.rest.verify.v2.service.VerificationCheck;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Plays the life of verifications with Twilio's library for Java, and prints what came of each step. */
public class Verify {
  static final List<String> steps = new ArrayList<>();
  static TwilioRestClient client;
  static String helper;
  static String shop;

  static void step(Supplier<String> work) {
    try {
      steps.add(work.get());
    } catch (ApiException error) {
      steps.add(error.getStatusCode() + " " + error.getCode());
    }
  }

  static String ask(String path) {
    try {
      var request = HttpRequest.newBuilder(URI.create(helper + "/" + path)).build();
      return HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).body();
    } catch (Exception error) {
      throw new IllegalStateException(error);
    }
  }

  static Verification start(String to) {
    return Verification.creator(shop, to, "sms").create(client);
  }

  static VerificationCheck check(String to, String code) {
    return VerificationCheck.creator(shop).setTo(to).setCode(code).create(client);
  }

  public static void main(String[] args) {
    helper = args[1];
    var here = new NetworkHttpClient() {
      @Override
      public Response makeRequest(Request request) {
        var moved = new Request(request.getMethod(), request.getUrl().replace("https://verify.twilio.com", args[0]));
        request.getQueryParams().forEach((name, values) -> values.forEach(value -> moved.addQueryParam(name, value)));
        request.getPostParams().forEach((name, values) -> values.forEach(value -> moved.addPostParam(name, value)));
        request.getHeaderParams().forEach((name, values) -> values.forEach(value -> moved.addHeaderParam(name, value)));
        moved.setAuth(request.getUsername(), request.getPassword());
        moved.setContentType(request.getContentType());
        return super.makeRequest(moved);
      }
    };
    client = new TwilioRestClient.Builder(args[2], args[3]).httpClient(here).build();
    shop = Service.creator("Java").setCodeLength(6).create(client).getSid();
    var right = "+4915144000001";
    var late = "+4915144000002";
    var gone = "+4915144000003";
    var many = "+4915144000004";
    step(() -> start(right).getStatus());
    var code = ask("code");
    step(() -> check(right, "000").getStatus());
    step(() -> {
      var one = check(right, code);
      return one.getStatus() + " " + one.getValid();
    });
    step(() -> check(right, code).getStatus());
    step(() -> start(late).getStatus());
    ask("expire");
    step(() -> check(late, ask("code")).getStatus());
    var canceled = start(gone).getSid();
    step(() -> Verification.fetcher(shop, canceled).fetch(client).getStatus());
    step(() -> Verification.updater(shop, canceled, Verification.Status.CANCELED).update(client).getStatus());
    step(() -> check(gone, "000").getStatus());
    start(many);
    for (int i = 0; i < 6; i++) step(() -> check(many, "000").getStatus());
    step(() -> start("+881612345678").getStatus());
    step(() -> start("0151").getStatus());
    step(() -> Service.fetcher("VA" + "0".repeat(32)).fetch(client).getSid());
    step(() -> Service.updater(shop).setFriendlyName("Java 2").update(client).getFriendlyName());
    step(() -> {
      for (var one : Service.reader().pageSize(1).read(client)) if (one.getSid().equals(shop)) return "true";
      return "false";
    });
    step(() -> String.valueOf(Service.deleter(shop).delete(client)));
    System.out.println("[\"" + String.join("\",\"", steps) + "\"]");
  }
}
