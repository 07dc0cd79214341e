// A hash map of words, and two threads.
import java.util.concurrent.ConcurrentHashMap;

public class Words {
  public static void main(String[] arguments) throws InterruptedException {
    ConcurrentHashMap<String, Integer> counts = new ConcurrentHashMap<>();
    Thread[] threads = new Thread[2];
    for (int t = 0; t < threads.length; ++t) {
      threads[t] = new Thread(() -> {
        for (int i = 0; i < 2000; ++i) counts.merge("word" + i % 97, i, Integer::sum);
      });
      threads[t].start();
    }
    for (Thread thread : threads) thread.join();
    System.out.println(counts.size() + " " + counts.get("word5"));
  }
}
