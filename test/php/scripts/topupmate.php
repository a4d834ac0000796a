<?php
// What the Topupmate-shaped scripts of one generation share, whichever format they buy in.

declare(strict_types=1);
require __DIR__ . '/script.php';

/** @param list<string> $headers */
function sendOlder(string $method, string $url, array $headers, ?string $body = null): ?object
{
    return json_decode(send($url, [
        CURLOPT_ENCODING => '',
        CURLOPT_MAXREDIRS => 10,
        CURLOPT_TIMEOUT => 0,
        CURLOPT_FOLLOWLOCATION => true,
        CURLOPT_HTTP_VERSION => CURL_HTTP_VERSION_1_1,
        CURLOPT_CUSTOMREQUEST => $method,
        CURLOPT_HTTPHEADER => $headers,
    ] + ($body === null ? [] : [CURLOPT_POSTFIELDS => $body])));
}

/** Those sites write the fields by hand, over several lines. Without fields a POST has neither length nor body. */
function sendNewer(string $method, string $url, string $authorization, ?array $fields = null): ?array
{
    return json_decode(send($url, [
        CURLOPT_ENCODING => '',
        CURLOPT_TIMEOUT => 0,
        CURLOPT_FOLLOWLOCATION => true,
        CURLOPT_CUSTOMREQUEST => $method,
        CURLOPT_HTTPHEADER => ["Authorization: $authorization", 'Content-Type: application/json'],
    ] + ($fields === null ? [] : [CURLOPT_POSTFIELDS => json_encode($fields, JSON_PRETTY_PRINT)])), true);
}

/** The newer generation reads `Status` in lower case if there is one, else `status`. */
function concludeNewer(?array $reply, array $common, array $details, bool $hasPending): never
{
    $word = strtolower((string) ($reply['Status'] ?? $reply['status'] ?? ''));
    if (in_array($word, ['successful', 'success'], true)) {
        tell('delivered', $reply['api_response'], [...$common, ...$details]);
    }
    if ($hasPending && in_array($word, ['processing', 'process', 'pending'], true)) {
        tell('pending', $reply['msg'], $common);
    }
    $text = $reply['error'][0] ?? $reply['msg'] ?? 'Unable to complete.';
    $isOurs = stripos($text, 'balance') !== false || stripos($text, 'insufficient') !== false;
    tell('refunded', $isOurs ? 'Please report this to the admin.' : $text, $common);
}
